import { useState } from 'preact/hooks';
import type { ActionVerb } from '../../../../src/ledger/actions.ts';
import type { FieldRefusal } from '../../state/responses.ts';
import { useApp } from '../../state/useApi.ts';
import { Button } from '../../components/button.tsx';
import { Choice, Field } from '../../components/field.tsx';
import { durationText, timeTyped, typedTime } from '../../words/figures.ts';
import { bilingual, useWords } from '../../words/language.ts';
import { ACTION_WORDS } from '../action-words.ts';
import { refusalsFor } from '../create/draft.ts';

const WORDS = bilingual(
  {
    filters: 'Which actions',
    verb: 'What',
    all: 'Everything',
    actor: 'Who',
    rain: 'Rain or sale',
    rainHint: 'its id',
    actorHint: 'as in the list, such as console:ann',
    time: 'When',
    any: 'At any time',
    last: (time: string) => `The last ${time}`,
    between: 'From … to …',
    since: 'From',
    until: 'Before',
    clear: 'Show everything',
  },
  {
    filters: '筛选操作',
    verb: '操作',
    all: '全部',
    actor: '操作者',
    rain: '场次',
    rainHint: '其编号',
    actorHint: '与列表中一致，例如 console:ann',
    time: '时间',
    any: '任何时间',
    last: (time) => `最近 ${time}`,
    between: '起止时间',
    since: '从',
    until: '到',
    clear: '显示全部',
  },
);

const ANY = 'any';
const BETWEEN = 'between';
const LAST_MS = [3_600_000, 86_400_000, 7 * 86_400_000, 30 * 86_400_000];

/** The chosen and typed filters. */
export interface FilterDraft {
  verb: ActionVerb | '';
  actor: string;
  rainId: string;
  /** `any`, `between`, or milliseconds before it was chosen. */
  time: string;
  /** As typed, in the time zone of the event; the first also when a time before now was chosen. */
  since: string;
  until: string;
}

export const NO_FILTER: FilterDraft = { verb: '', actor: '', rainId: '', time: ANY, since: '', until: '' };

/** As the API takes it: nothing that is empty. */
export function queryOf({ verb, actor, rainId, time, since, until }: FilterDraft): Record<string, string> {
  const at = (typed: string) =>
    time === ANY || Number.isNaN(timeTyped(typed)) ? '' : new Date(timeTyped(typed)).toISOString();
  const query = {
    verb,
    actor: actor.trim(),
    rainId: rainId.trim(),
    since: at(since),
    until: time === BETWEEN ? at(until) : '',
  };
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ''));
}

interface FiltersProps {
  draft: FilterDraft;
  onChange: (draft: FilterDraft) => void;
  refusals: readonly FieldRefusal[];
}

export function Filters({ draft, onChange, refusals }: FiltersProps) {
  const { words, language } = useWords(WORDS);
  const { words: verbs } = useWords(ACTION_WORDS);
  const { api } = useApp();
  const [sorted] = useState(() => new Intl.Collator(language));
  const set = (change: Partial<FilterDraft>) => onChange({ ...draft, ...change });
  const chooseTime = (time: string) =>
    set({ time, since: time === ANY || time === BETWEEN ? draft.since : typedTime(api.now() - Number(time)) });
  const chosen = Object.keys(queryOf(draft)).length > 0 || draft.time !== ANY;
  return (
    <section class="card filters" aria-label={words.filters}>
      <Choice
        label={words.verb}
        value={draft.verb}
        onChange={(verb) => set({ verb })}
        options={[
          ['', words.all],
          ...(Object.entries(verbs) as [ActionVerb, string][]).sort(([, a], [, b]) => sorted.compare(a, b)),
        ]}
      />
      <Field
        label={words.actor}
        value={draft.actor}
        onInput={(actor) => set({ actor })}
        hint={words.actorHint}
        refusals={refusalsFor(refusals, 'actor')}
        testId="filter-actor"
      />
      <Field
        label={words.rain}
        value={draft.rainId}
        onInput={(rainId) => set({ rainId })}
        hint={words.rainHint}
        refusals={refusalsFor(refusals, 'rainId')}
        testId="filter-rain"
      />
      <Choice
        label={words.time}
        value={draft.time}
        onChange={chooseTime}
        options={[
          [ANY, words.any],
          ...LAST_MS.map((ms) => [String(ms), words.last(durationText(ms, language))] as const),
          [BETWEEN, words.between],
        ]}
      />
      {draft.time === BETWEEN && (
        <Field
          label={words.since}
          type="datetime-local"
          value={draft.since}
          onInput={(since) => set({ since })}
          refusals={refusalsFor(refusals, 'since')}
          testId="filter-since"
        />
      )}
      {draft.time === BETWEEN && (
        <Field
          label={words.until}
          type="datetime-local"
          value={draft.until}
          onInput={(until) => set({ until })}
          refusals={refusalsFor(refusals, 'until')}
          testId="filter-until"
        />
      )}
      {chosen && (
        <Button onClick={() => onChange(NO_FILTER)} testId="filter-clear">
          {words.clear}
        </Button>
      )}
    </section>
  );
}
