import { useState } from 'preact/hooks';
import type { SaleView } from '../../state/responses.ts';
import { useApp } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/language.ts';
import { Tickets } from '../tickets.tsx';
import { Confirm, End, TopUp } from './verb-dialogs.tsx';
import { saleVerbsOf, type SaleVerb } from './verbs.ts';
import { WORDS } from './words.ts';

/** Verbs that lead to the next state of a sale. */
const MAIN: readonly SaleVerb[] = ['load', 'start', 'resume'];

/** A button for each verb that is possible now. Each opens a dialog that asks for confirmation. */
export function SaleVerbs({ sale, onDone }: { sale: SaleView; onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { api, mayAct } = useApp();
  const [chosen, setChosen] = useState<SaleVerb>();
  if (!mayAct) return null;
  const close = () => {
    setChosen(undefined);
    onDone();
  };
  return (
    <>
      {saleVerbsOf(sale.state, Date.parse(sale.opensAt) <= api.now()).map((name) => (
        <Button
          key={name}
          variant={name === 'end' ? 'danger' : MAIN.includes(name) ? 'main' : 'plain'}
          testId={`verb-${name}`}
          onClick={() => setChosen(name)}
        >
          {words.verbs[name]}
        </Button>
      ))}
      {chosen === 'topUp' && <TopUp sale={sale} onClose={close} />}
      {chosen === 'tickets' && (
        <Tickets
          path={`sales/${encodeURIComponent(sale.saleId)}`}
          title={sale.title}
          rules={sale.ticketRules}
          onClose={close}
        />
      )}
      {chosen === 'end' && <End sale={sale} onClose={close} />}
      {chosen !== undefined && chosen !== 'topUp' && chosen !== 'tickets' && chosen !== 'end' && (
        <Confirm name={chosen} sale={sale} onClose={close} />
      )}
    </>
  );
}
