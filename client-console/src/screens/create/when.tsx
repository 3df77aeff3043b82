import type { ComponentChildren } from 'preact';
import type { FieldRefusal } from '../../state/responses.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Field, Segments } from '../../components/field.tsx';
import { useWords } from '../../words/language.ts';
import { nextStart, refusalsFor, type Draft, type Unit } from './draft.ts';
import { WORDS } from './words.ts';

const ROUNDS_MAX = 50;
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface PartProps {
  draft: Draft;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<Draft>) => void;
}

/** Start time and duration. Several starts make several rains. */
export function WhenPart({ draft, refusals, change, children }: PartProps & { children: ComponentChildren }) {
  const words = useWords(WORDS);
  const units = Object.entries(words.units) as [Unit, string][];
  const opens = refusalsFor(refusals, 'opensAt');
  return (
    <fieldset class="card">
      <legend>{words.when}</legend>
      <Segments label={words.when} value={draft.when} options={Object.entries(words.whens) as [Draft['when'], string][]} onChange={(when) => change({ when })} />
      {draft.when === 'in' && (
        <div class="pair">
          <Field label={words.startIn} inputMode="decimal" value={draft.startIn} onInput={(startIn) => change({ startIn })} refusals={opens} testId="start-in" />
          <Choice label={words.unit} value={draft.startInUnit} options={units} onChange={(startInUnit) => change({ startInUnit })} />
        </div>
      )}
      {draft.when === 'at' && (
        <Field label={words.startAt} type="datetime-local" value={draft.starts[0] ?? ''} onInput={(start) => change({ starts: [start, ...draft.starts.slice(1)] })} hint={words.zone(ZONE)} refusals={opens} />
      )}
      {draft.when === 'rounds' && <Rounds draft={draft} refusals={opens} change={change} />}
      <div class="pair">
        <Field label={words.duration} inputMode="decimal" value={draft.duration} onInput={(duration) => change({ duration })} refusals={refusalsFor(refusals, 'closesAt')} testId="duration" />
        <Choice label={words.unit} value={draft.durationUnit} options={units} onChange={(durationUnit) => change({ durationUnit })} />
      </div>
      {children}
    </fieldset>
  );
}

function Rounds({ draft: { starts, campaign }, refusals, change }: PartProps) {
  const words = useWords(WORDS);
  return (
    <div class="rounds">
      <p class="hint">{words.roundsHint} {words.zone(ZONE)}</p>
      {starts.map((start, i) => (
        <div class="round" key={i}>
          <Field label={words.round(i + (campaign?.first ?? 1))} type="datetime-local" value={start} onInput={(text) => change({ starts: starts.map((old, at) => (at === i ? text : old)) })}
            refusals={i === starts.length - 1 ? refusals : []} />
          {starts.length > 1 && <Button variant="quiet" label={words.removeRound(i + 1)} onClick={() => change({ starts: starts.filter((_, at) => at !== i) })}>✕</Button>}
        </div>
      ))}
      {starts.length < ROUNDS_MAX && <Button variant="quiet" onClick={() => change({ starts: [...starts, nextStart(starts)] })}>+ {words.addRound}</Button>}
    </div>
  );
}
