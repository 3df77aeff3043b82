import { useState } from 'preact/hooks';
import { DEFAULT_METHOD, METHODS, type MethodName } from '../../../../src/rain/split/methods.ts';
import type { RainView } from '../../state/responses.ts';
import { useApp } from '../../state/app.ts';
import { useVerb } from '../../state/useVerb.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field, Segments } from '../../components/field.tsx';
import { amountTyped, moneyText } from '../../words/figures.ts';
import { useLanguage, useWords } from '../../words/language.ts';
import { newId, refusalsFor } from '../create/draft.ts';
import { usePreview } from '../create/preview.tsx';
import { WORDS as PLAN_WORDS } from '../create/words.ts';
import { WORDS } from './words.ts';

/** Methods that need a list apply to a whole rain only. */
const PLAIN = METHODS.filter((method) => method.rows === undefined);

/** Adds money to a rain, before or while it is open. The id is chosen once per form, so sending the form twice makes one top-up. */
export function TopUp({ rain, onClose }: { rain: RainView; onClose: () => void }) {
  const words = useWords(WORDS);
  const plans = useWords(PLAN_WORDS);
  const language = useLanguage();
  const { api } = useApp();
  const verb = useVerb();
  const [id] = useState(() => newId(api.now()));
  const [budget, setBudget] = useState('');
  const [packets, setPackets] = useState('');
  const [method, setMethod] = useState<MethodName>(DEFAULT_METHOD.name);
  const typed = budget.trim() !== '' && packets.trim() !== '';
  const plan = { budget: amountTyped(budget), packets: Number(packets.replace(/[\s,]/g, '') || NaN), split: { method } };
  const { preview } = usePreview(typed ? plan : undefined);
  const refusals = [...(preview && !preview.ok ? preview.refusals : []), ...(verb.refusal?.refusals ?? [])];
  const act = async () => {
    if (await verb.run(() => api.post(`rains/${encodeURIComponent(rain.rainId)}/top-up`, { id, ...plan }))) onClose();
  };
  return (
    <Dialog title={words.ask.topUp(rain.title)} act={words.verbs.topUp} verb={verb} onAct={() => void act()} onClose={onClose} disabled={!preview?.ok}>
      <div class="pair">
        <Field label={words.topBudget} unit="¥" inputMode="decimal" value={budget} onInput={setBudget} refusals={refusalsFor(refusals, 'budget')} testId="top-budget" />
        <Field label={words.topPackets} inputMode="numeric" value={packets} onInput={setPackets} refusals={refusalsFor(refusals, 'packets')} testId="top-packets" />
      </div>
      <Segments label={plans.method} value={method} options={PLAIN.map(({ name, label }) => [name, label[language]] as const)} onChange={setMethod} />
      {preview?.ok && <p><b>{(rain.terms.rehearsal ? words.told.topUpTestMoney : words.told.topUp)(moneyText(preview.budget))}</b></p>}
    </Dialog>
  );
}
