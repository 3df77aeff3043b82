import type { ComponentChildren } from 'preact';
import { describeTerm } from '../../../../src/rain/terms.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Field, Segments, Toggle } from '../../components/field.tsx';
import type { FieldRefusal } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { timeZoneText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { TERM_WORDS } from '../term-words.ts';
import { nextStart, refusalsFor, termsFor, type PartProps, type TimeDraft, type Unit } from './draft.ts';
import { WORDS } from './words.ts';

const ROUNDS_MAX = 50;

/** Start time, duration and terms. Several starts make several rains. */
export function WhenPart(props: PartProps) {
  const { words } = useWords(WORDS);
  return (
    <TimePart
      {...props}
      whens={Object.keys(words.whens) as TimeDraft['when'][]}
      first={props.draft.campaign?.first ?? 1}
      lasts={words.duration}
    >
      {props.draft.when === 'rounds' && !props.draft.campaign && (
        <p class="hint">
          {words.roundsApart} <a href={hashOf({ screen: 'campaigns' })}>{words.toCampaigns}</a>
        </p>
      )}
      <TermsPart {...props} />
    </TimePart>
  );
}

interface TimeProps {
  draft: TimeDraft;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<TimeDraft>) => void;
  /** The ways to say when it begins. */
  whens: readonly TimeDraft['when'][];
  /** Number of the first round. */
  first?: number;
  /** Label of the duration. */
  lasts: string;
  children?: ComponentChildren;
}

/** Start time and duration of a rain or a sale. */
export function TimePart({ draft, refusals, change, whens, first = 1, lasts, children }: TimeProps) {
  const { words } = useWords(WORDS);
  const units = Object.entries(words.units) as [Unit, string][];
  const opens = refusalsFor(refusals, 'opensAt');
  return (
    <fieldset class="card">
      <legend>{words.when}</legend>
      <Segments
        label={words.when}
        value={draft.when}
        options={whens.map((when) => [when, words.whens[when]] as const)}
        onChange={(when) => change({ when })}
      />
      {draft.when === 'in' && (
        <div class="pair">
          <Field
            label={words.startIn}
            inputMode="decimal"
            value={draft.startIn}
            onInput={(startIn) => change({ startIn })}
            refusals={opens}
            testId="start-in"
          />
          <Choice
            label={words.unit}
            value={draft.startInUnit}
            options={units}
            onChange={(startInUnit) => change({ startInUnit })}
          />
        </div>
      )}
      {draft.when === 'at' && (
        <Field
          label={words.startAt}
          type="datetime-local"
          value={draft.starts[0] ?? ''}
          onInput={(start) => change({ starts: [start, ...draft.starts.slice(1)] })}
          hint={words.zone(timeZoneText())}
          refusals={opens}
        />
      )}
      {draft.when === 'rounds' && <Rounds draft={draft} first={first} refusals={refusals} change={change} />}
      <div class="pair">
        <Field
          label={lasts}
          inputMode="decimal"
          value={draft.duration}
          onInput={(duration) => change({ duration })}
          refusals={refusalsFor(refusals, 'closesAt')}
          testId="duration"
        />
        <Choice
          label={words.unit}
          value={draft.durationUnit}
          options={units}
          onChange={(durationUnit) => change({ durationUnit })}
        />
      </div>
      {children}
    </fieldset>
  );
}

function Rounds({
  draft: { starts },
  first,
  refusals,
  change,
}: Pick<TimeProps, 'draft' | 'refusals' | 'change'> & { first: number }) {
  const { words } = useWords(WORDS);
  return (
    <div class="rounds">
      <p class="hint">
        {words.roundsHint} {words.zone(timeZoneText())}
      </p>
      {starts.map((start, i) => (
        <div class="round" key={i}>
          <Field
            label={words.round(i + first)}
            type="datetime-local"
            value={start}
            onInput={(text) => change({ starts: starts.map((old, at) => (at === i ? text : old)) })}
            refusals={refusalsFor(refusals, `opensAt.${i}`)}
          />
          {starts.length > 1 && (
            <Button
              variant="quiet"
              label={words.removeRound(i + 1)}
              onClick={() => change({ starts: starts.filter((_, at) => at !== i) })}
            >
              ✕
            </Button>
          )}
        </div>
      ))}
      {starts.length < ROUNDS_MAX && (
        <Button variant="quiet" onClick={() => change({ starts: [...starts, nextStart(starts)] })}>
          + {words.addRound}
        </Button>
      )}
    </div>
  );
}

/** One field per term: a switch, or a number that may be empty. */
function TermsPart({ draft, refusals, change }: PartProps) {
  const { words } = useWords(TERM_WORDS);
  return (
    <>
      {termsFor(draft).map((name) => {
        const { label, hint } = words[name];
        const typed = draft.terms[name];
        const put = (value: boolean | string) => change({ terms: { ...draft.terms, [name]: value } });
        if (describeTerm(name).kind === 'flag')
          return <Toggle key={name} label={label} hint={hint} checked={typed === true} onChange={put} />;
        return (
          <Field
            key={name}
            label={label}
            hint={hint}
            inputMode="numeric"
            value={typeof typed === 'string' ? typed : ''}
            onInput={put}
            refusals={refusalsFor(refusals, `terms.${name}`)}
            testId={`term-${name}`}
          />
        );
      })}
    </>
  );
}
