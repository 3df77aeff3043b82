import { useEffect, useState } from 'preact/hooks';
import type { SaleView } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { newId, numberTyped, refusalsFor } from '../create/draft.ts';
import type { SaleVerb } from './verbs.ts';
import { SALE_WORDS, WORDS } from './words.ts';

interface VerbProps {
  sale: SaleView;
  onClose: () => void;
}

/** Asks before a verb that needs no more than a yes. */
export function Confirm({
  name,
  sale: { saleId, title },
  onClose,
}: VerbProps & { name: Exclude<SaleVerb, 'topUp' | 'tickets' | 'end'> }) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  return (
    <Dialog
      title={words.ask[name](title)}
      act={words.verbs[name]}
      verb={verb}
      onAct={() => api.post(`sales/${encodeURIComponent(saleId)}/${name}`)}
      onClose={onClose}
    >
      <p>{words.told[name]}</p>
    </Dialog>
  );
}

/** Ends a sale; says before what would go back. */
export function End({ sale: { saleId, title }, onClose }: VerbProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const path = `sales/${encodeURIComponent(saleId)}/end`;
  const [left, setLeft] = useState<{ left: number; waiting: number }>();
  useEffect(
    () =>
      void api.post<{ left: number; waiting: number }>(path, { dryRun: true }).then((tried) => {
        if (tried.ok) setLeft(tried.value);
      }),
    [path],
  );
  return (
    <Dialog
      title={words.ask.end(title)}
      act={words.verbs.end}
      variant="danger"
      verb={verb}
      onAct={() => api.post(path)}
      onClose={onClose}
    >
      <p>{left ? words.end(left.left, left.waiting) : words.endTold}</p>
    </Dialog>
  );
}

/** Adds units to an item. The id is chosen once per form, so sending the form twice adds them once. */
export function TopUp({ sale: { saleId, title, items }, onClose }: VerbProps) {
  const { words } = useWords(WORDS);
  const { words: names } = useWords(SALE_WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [id] = useState(() => newId(api.now()));
  const [sku, setSku] = useState(items[0]!.sku);
  const [units, setUnits] = useState('');
  return (
    <Dialog
      title={words.ask.topUp(title)}
      act={words.verbs.topUp}
      verb={verb}
      disabled={units.trim() === ''}
      onClose={onClose}
      onAct={() => api.post(`sales/${encodeURIComponent(saleId)}/top-up`, { id, sku, units: numberTyped(units) })}
    >
      <div class="pair">
        <Choice
          label={names.item}
          value={sku}
          options={items.map((item) => [item.sku, item.name ?? item.sku] as const)}
          onChange={setSku}
        />
        <Field
          label={words.more}
          inputMode="numeric"
          value={units}
          onInput={setUnits}
          refusals={refusalsFor(verb.refusals, 'units')}
          testId="top-units"
        />
      </div>
      <p>{words.moreTold}</p>
    </Dialog>
  );
}
