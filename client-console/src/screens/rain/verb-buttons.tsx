import { useState } from 'preact/hooks';
import type { RainView } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { useApp } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/language.ts';
import { SaveTemplate } from '../templates/dialogs.tsx';
import { WORDS as TEMPLATE_WORDS } from '../templates/words.ts';
import { Tickets } from '../tickets.tsx';
import { Confirm, Reschedule, Start, TopUp } from './verb-dialogs.tsx';
import { verbsOf, type VerbName } from './verbs.ts';
import { WORDS } from './words.ts';

/** Verbs that lead to the next state of a rain. */
const MAIN: readonly VerbName[] = ['load', 'start', 'resume', 'recycle'];

/** A button for each verb that is possible now. Each opens a dialog that asks for confirmation. */
export function VerbButtons({ rain, onDone }: { rain: RainView; onDone: () => void }) {
  const { words } = useWords(WORDS);
  const { api, mayAct } = useApp();
  const [chosen, setChosen] = useState<VerbName>();
  const { words: templateWords } = useWords(TEMPLATE_WORDS);
  const [saving, setSaving] = useState(false);
  if (!mayAct) return null;
  const close = () => {
    setChosen(undefined);
    onDone();
  };
  const verbs = verbsOf(rain.state, Date.parse(rain.opensAt) <= api.now());
  return (
    <>
      {verbs.map((name) => (
        <Button
          key={name}
          variant={name === 'close' ? 'danger' : MAIN.includes(name) ? 'main' : 'plain'}
          testId={`verb-${name}`}
          onClick={() => setChosen(name)}
        >
          {words.verbs[name]}
        </Button>
      ))}
      {!rain.campaign && (
        <a class="button" href={hashOf({ screen: 'create', likeId: rain.rainId })} data-testid="duplicate">
          {words.duplicate}
        </a>
      )}
      {!rain.campaign && (
        <Button onClick={() => setSaving(true)} testId="save-template">
          {templateWords.saveAs}
        </Button>
      )}
      {saving && <SaveTemplate title={rain.title} said={{ from: rain.rainId }} onClose={() => setSaving(false)} />}
      {chosen === 'topUp' && <TopUp rain={rain} onClose={close} />}
      {chosen === 'tickets' && (
        <Tickets
          path={`rains/${encodeURIComponent(rain.rainId)}`}
          title={rain.title}
          rules={rain.ticketRules}
          onClose={close}
        />
      )}
      {chosen === 'start' && <Start rain={rain} onClose={close} />}
      {chosen === 'schedule' && <Reschedule rain={rain} onClose={close} />}
      {chosen !== undefined &&
        chosen !== 'topUp' &&
        chosen !== 'tickets' &&
        chosen !== 'start' &&
        chosen !== 'schedule' && <Confirm name={chosen} rain={rain} onClose={close} />}
    </>
  );
}
