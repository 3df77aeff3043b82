import type { FieldRefusal, Split } from '../../desk/answers.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Segments } from '../../parts/field.tsx';
import { useWords } from '../../words/language.ts';
import { refusalsFor, type Draft } from './draft.ts';
import { WORDS } from './words.ts';

interface PartProps {
  draft: Draft;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<Draft>) => void;
}

/** How much, in how many packets, and how it is split. */
export function MoneyPart({ draft, refusals, change }: PartProps) {
  const words = useWords(WORDS);
  return (
    <fieldset class="card">
      <legend>{words.money}</legend>
      <Field label={words.name} value={draft.title} onInput={(title) => change({ title })} hint={words.nameHint} refusals={refusalsFor(refusals, 'title')} testId="title" />
      <div class="pair">
        <Field label={words.budget} unit="¥" inputMode="decimal" value={draft.budget} onInput={(budget) => change({ budget })} refusals={refusalsFor(refusals, 'budget')} testId="budget" />
        <Field label={words.packets} inputMode="numeric" value={draft.packets} onInput={(packets) => change({ packets })} refusals={refusalsFor(refusals, 'packets')} testId="packets" />
      </div>
      <Segments
        label={words.method} value={draft.method} options={Object.entries(words.methods) as [Split['method'], string][]}
        onChange={(method) => change({ method, ...(method === 'tiers' && draft.tiers.length === 0 && { tiers: [{ count: '1', amount: '' }] }) })}
      />
      {draft.method === 'tiers' && <Tiers draft={draft} refusals={refusals} change={change} />}
      <div class="pair">
        <Field label={words.min} unit="¥" inputMode="decimal" value={draft.min} onInput={(min) => change({ min })} refusals={refusalsFor(refusals, 'min')} />
        <Field label={words.max} unit="¥" inputMode="decimal" value={draft.max} onInput={(max) => change({ max })} hint={words.maxHint} refusals={refusalsFor(refusals, 'max')} />
      </div>
    </fieldset>
  );
}

function Tiers({ draft: { tiers }, refusals, change }: PartProps) {
  const words = useWords(WORDS);
  const put = (at: number, tier: Partial<Draft['tiers'][number]>) => change({ tiers: tiers.map((old, i) => (i === at ? { ...old, ...tier } : old)) });
  const whole = refusalsFor(refusals, 'split.tiers', 'split');
  return (
    <div class="tiers" role="group" aria-label={words.tiers}>
      {tiers.map(({ count, amount }, i) => (
        <div class="pair tier" key={i}>
          <Field label={words.tierCount} inputMode="numeric" value={count} onInput={(text) => put(i, { count: text })} refusals={refusalsFor(refusals, `split.tiers.${i}.count`)} />
          <Field label={words.tierAmount} unit="¥" inputMode="decimal" value={amount} onInput={(text) => put(i, { amount: text })}
            refusals={[...refusalsFor(refusals, `split.tiers.${i}.amount`), ...(i === tiers.length - 1 ? whole : [])]} />
          {tiers.length > 1 && <Button look="quiet" label={`${words.removeTier} ${i + 1}`} onClick={() => change({ tiers: tiers.filter((_, at) => at !== i) })}>✕</Button>}
        </div>
      ))}
      <Button look="quiet" onClick={() => change({ tiers: [...tiers, { count: '1', amount: '' }] })}>+ {words.addTier}</Button>
    </div>
  );
}
