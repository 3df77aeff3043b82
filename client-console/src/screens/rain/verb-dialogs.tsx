import { useState } from 'preact/hooks';
import { DEFAULT_METHOD, METHODS, type MethodName } from '../../../../src/rain/split/methods.ts';
import type { RainView } from '../../state/responses.ts';
import { useApp, useVerb } from '../../state/useApi.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Segments } from '../../components/field.tsx';
import { amountTyped, currencyText, moneyText, timeTyped, typedTime } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { newId, numberTyped, refusalsFor } from '../create/draft.ts';
import { usePreview } from '../create/preview.tsx';
import { WORDS as PLAN_WORDS } from '../create/words.ts';
import type { VerbName } from './verbs.ts';
import { WORDS } from './words.ts';

interface VerbProps {
  rain: RainView;
  onClose: () => void;
}

/** Asks before a verb that needs no more than a yes. */
export function Confirm({
  name,
  rain: { rainId, title, left },
  onClose,
}: VerbProps & { name: Exclude<VerbName, 'topUp' | 'tickets' | 'start' | 'schedule'> }) {
  const { words, shared } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  return (
    <Dialog
      title={words.ask[name](title)}
      act={words.verbs[name]}
      variant={name === 'close' ? 'danger' : 'main'}
      verb={verb}
      onAct={() => api.post(`rains/${encodeURIComponent(rainId)}/${name}`)}
      onClose={onClose}
    >
      <p>{name === 'close' ? words.told.close(shared.packets(left)) : words.told[name]}</p>
    </Dialog>
  );
}

/** Starts a rain now, or after a countdown that every screen shows. */
export function Start({ rain: { rainId, title }, onClose }: VerbProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [inMs, setInMs] = useState('10000');
  return (
    <Dialog
      title={words.ask.start(title)}
      act={words.verbs.start}
      verb={verb}
      onClose={onClose}
      onAct={() => api.post(`rains/${encodeURIComponent(rainId)}/start`, inMs === '0' ? {} : { inMs: Number(inMs) })}
    >
      <p>{words.told.start}</p>
      <Segments label={words.countdown} value={inMs} options={Object.entries(words.counts)} onChange={setInMs} />
    </Dialog>
  );
}

/** Reschedules a rain that has not opened. */
export function Reschedule({ rain: { rainId, title, opensAt, closesAt }, onClose }: VerbProps) {
  const { words } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [start, setStart] = useState(() => typedTime(Date.parse(opensAt)));
  const time = timeTyped(start);
  const moved = { opensAt: time, closesAt: time + Date.parse(closesAt) - Date.parse(opensAt) };
  return (
    <Dialog
      title={words.ask.schedule(title)}
      act={words.verbs.schedule}
      verb={verb}
      fields={['opensAt', 'closesAt']}
      disabled={Number.isNaN(time)}
      onAct={() => api.post(`rains/${encodeURIComponent(rainId)}/schedule`, moved)}
      onClose={onClose}
    >
      <p>{words.told.schedule}</p>
      <Field
        label={words.opensAt}
        type="datetime-local"
        value={start}
        onInput={setStart}
        refusals={refusalsFor(verb.refusals, 'opensAt', 'closesAt')}
      />
    </Dialog>
  );
}

/** Methods that need a list apply to a whole rain only. */
const PLAIN = METHODS.filter((method) => method.rows === undefined);

/**
 * Adds money to a rain, before or while it is open. The id is chosen once per form, so sending the form twice makes one
 * top-up.
 */
export function TopUp({ rain, onClose }: VerbProps) {
  const { words, language } = useWords(WORDS);
  const { words: plans } = useWords(PLAN_WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [id] = useState(() => newId(api.now()));
  const [budget, setBudget] = useState('');
  const [packets, setPackets] = useState('');
  const [method, setMethod] = useState<MethodName>(DEFAULT_METHOD.name);
  const typed = budget.trim() !== '' && packets.trim() !== '';
  const plan = { budget: amountTyped(budget), packets: numberTyped(packets), split: { method } };
  const { preview } = usePreview(typed ? plan : undefined);
  const refusals = [...(preview && !preview.ok ? preview.refusals : []), ...verb.refusals];
  return (
    <Dialog
      title={words.ask.topUp(rain.title)}
      act={words.verbs.topUp}
      verb={verb}
      fields={['budget', 'packets']}
      disabled={!preview?.ok}
      onAct={() => api.post(`rains/${encodeURIComponent(rain.rainId)}/top-up`, { id, ...plan })}
      onClose={onClose}
    >
      <div class="pair">
        <Field
          label={words.topBudget}
          unit={currencyText()}
          inputMode="decimal"
          value={budget}
          onInput={setBudget}
          refusals={refusalsFor(refusals, 'budget')}
          testId="top-budget"
        />
        <Field
          label={words.topPackets}
          inputMode="numeric"
          value={packets}
          onInput={setPackets}
          refusals={refusalsFor(refusals, 'packets')}
          testId="top-packets"
        />
      </div>
      <Segments
        label={plans.method}
        value={method}
        options={PLAIN.map(({ name, label }) => [name, label[language]] as const)}
        onChange={setMethod}
      />
      {preview?.ok && (
        <p>
          <b>{(rain.terms.rehearsal ? words.told.topUpTestMoney : words.told.topUp)(moneyText(preview.budget))}</b>
        </p>
      )}
    </Dialog>
  );
}
