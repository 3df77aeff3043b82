import { useState } from 'preact/hooks';
import type { RainView } from '../../state/responses.ts';
import { useApp } from '../../state/app.ts';
import { useVerb } from '../../state/useVerb.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useWords } from '../../words/language.ts';
import { SHARED } from '../../words/shared.ts';
import { Move, Start } from './start.tsx';
import { TopUp } from './top-up.tsx';
import { verbsOf, type VerbName } from './verbs.ts';
import { WORDS } from './words.ts';

/** Those that bring a rain on. */
const MAIN: readonly VerbName[] = ['load', 'start', 'resume', 'recycle'];

/** The verbs that this rain can be asked now, each with a last question in words. */
export function VerbButtons({ rain, onDone }: { rain: RainView; onDone: () => void }) {
  const words = useWords(WORDS);
  const { ask, mayAct } = useApp();
  const [asking, setAsking] = useState<VerbName>();
  if (!mayAct) return null;
  const close = () => {
    setAsking(undefined);
    onDone();
  };
  const verbs = verbsOf(rain.state, Date.parse(rain.opensAt) <= ask.now());
  return (
    <>
      {verbs.map((name) => (
        <Button key={name} look={name === 'close' ? 'danger' : MAIN.includes(name) ? 'main' : 'plain'} testId={`verb-${name}`} onClick={() => setAsking(name)}>{words.verbs[name]}</Button>
      ))}
      {asking === 'topUp' && <TopUp rain={rain} onClose={close} />}
      {asking === 'start' && <Start rain={rain} onClose={close} />}
      {asking === 'schedule' && <Move rain={rain} onClose={close} />}
      {asking !== undefined && asking !== 'topUp' && asking !== 'start' && asking !== 'schedule' && <Confirm name={asking} rain={rain} onClose={close} />}
    </>
  );
}

function Confirm({ name, rain: { rainId, title, left }, onClose }: { name: Exclude<VerbName, 'topUp' | 'start' | 'schedule'>; rain: RainView; onClose: () => void }) {
  const words = useWords(WORDS);
  const shared = useWords(SHARED);
  const { ask } = useApp();
  const verb = useVerb();
  const act = async () => {
    if (await verb.run(() => ask.post(`rains/${encodeURIComponent(rainId)}/${name}`))) onClose();
  };
  return (
    <Dialog title={words.ask[name](title)} act={words.verbs[name]} look={name === 'close' ? 'danger' : 'main'} verb={verb} onAct={() => void act()} onClose={onClose}>
      <p>{name === 'close' ? words.told.close(shared.packets(left)) : words.told[name]}</p>
    </Dialog>
  );
}
