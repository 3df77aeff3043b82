import { useState } from 'preact/hooks';
import type { RainView } from '../../state/responses.ts';
import { useApp } from '../../state/app.ts';
import { useVerb } from '../../state/useVerb.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Segments } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { localText, refusalsFor } from '../create/draft.ts';
import { WORDS } from './words.ts';

interface StartProps {
  rain: RainView;
  onClose: () => void;
}

/** Starts a rain now, or after a countdown that every screen shows. */
export function Start({ rain: { rainId, title }, onClose }: StartProps) {
  const words = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [inMs, setInMs] = useState('10000');
  const act = async () => {
    if (await verb.run(() => api.post(`rains/${encodeURIComponent(rainId)}/start`, inMs === '0' ? {} : { inMs: Number(inMs) }))) onClose();
  };
  return (
    <Dialog title={words.ask.start(title)} act={words.verbs.start} verb={verb} onAct={() => void act()} onClose={onClose}>
      <p>{words.told.start}</p>
      <Segments label={words.countdown} value={inMs} options={Object.entries(words.counts)} onChange={setInMs} />
    </Dialog>
  );
}

/** Reschedules a rain that has not opened. */
export function Reschedule({ rain: { rainId, title, opensAt, closesAt }, onClose }: StartProps) {
  const words = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [start, setStart] = useState(() => localText(Date.parse(opensAt)));
  const time = new Date(start).getTime();
  const act = async () => {
    const moved = { opensAt: time, closesAt: time + Date.parse(closesAt) - Date.parse(opensAt) };
    if (await verb.run(() => api.post(`rains/${encodeURIComponent(rainId)}/schedule`, moved))) onClose();
  };
  return (
    <Dialog title={words.ask.schedule(title)} act={words.verbs.schedule} verb={verb} onAct={() => void act()} onClose={onClose} disabled={Number.isNaN(time)}>
      <p>{words.told.schedule}</p>
      <Field label={words.opensAt} type="datetime-local" value={start} onInput={setStart} refusals={refusalsFor(verb.refusal?.refusals ?? [], 'opensAt', 'closesAt')} />
    </Dialog>
  );
}
