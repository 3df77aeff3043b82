import { DEFAULT_METHOD, METHOD_NAMES, methodNamed } from '../../../../src/rain/split/methods.ts';
import { requestedTermNames } from '../../../../src/rain/terms.ts';
import type { RainDetail } from '../../state/responses.ts';
import { typedGreeting } from '../greeting/typed.ts';
import { newDraft, type Draft, type TypedRow } from './draft.ts';

/** A form filled in like an earlier rain, to begin some minutes from now: the same money, terms, greeting and duration, other packets. */
export function draftLike({ title, plan, terms, greeting, opensAt, closesAt }: RainDetail, now: number): Draft {
  const { budget, packets, split, min, max } = plan;
  const given = Object(split) as Record<string, unknown>;
  const method = METHOD_NAMES.find((name) => name === given['method']) ?? DEFAULT_METHOD.name;
  const rows = given[methodNamed(method).rows?.field ?? ''];
  const seconds = (Date.parse(closesAt) - Date.parse(opensAt)) / 1_000;
  const wholeMinutes = seconds % 60 === 0 && seconds > 60;
  return {
    ...newDraft(now),
    title, budget: typed(budget), packets: typed(packets), method, min: typed(min) || '0.01', max: max === budget ? '' : typed(max),
    rows: Array.isArray(rows) ? { [method]: rows.map(rowOf) } : {},
    duration: String(wholeMinutes ? seconds / 60 : seconds), durationUnit: wholeMinutes ? 'min' : 's',
    greeting: typedGreeting(greeting),
    terms: Object.fromEntries(requestedTermNames('rains of their own').flatMap((name) => {
      const value = terms[name];
      return value === undefined ? [] : [[name, value]];
    })),
  };
}

const typed = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

const rowOf = (row: unknown): TypedRow => Object.fromEntries(Object.entries(Object(row) as object).map(([column, value]) => [column, typed(value)]));
