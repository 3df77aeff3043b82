import { DEFAULT_METHOD, METHOD_NAMES, methodNamed } from '../../../../src/rain/split/methods.ts';
import { requestedTermNames } from '../../../../src/rain/terms.ts';
import type { RainDetail } from '../../state/responses.ts';
import { NO_GREETING, type TypedGreeting } from '../greeting/typed.ts';
import { newDraft, type Draft, type TypedRow } from './draft.ts';

/** The fields of a rain or a template. An older server may have saved it, so each may have any form. */
type Said = { readonly [F in 'title' | 'plan' | 'terms' | 'greeting' | 'durationMs']?: unknown };

/**
 * A form filled in like an earlier rain, to begin some minutes from now: the same money, terms, greeting and duration,
 * other packets.
 */
export function draftLike({ opensAt, closesAt, ...rain }: RainDetail, now: number): Draft {
  return {
    ...newDraft(now),
    title: rain.title,
    ...filledIn({ ...rain, durationMs: Date.parse(closesAt) - Date.parse(opensAt) }),
  };
}

/** The fields of the form but id, title and start. Fields that cannot be read are left to be typed. */
export function filledIn({ plan, terms, greeting, durationMs }: Said): Partial<Draft> {
  const { budget, packets, split, min, max } = fieldsOf(plan);
  const given = fieldsOf(split);
  const method = METHOD_NAMES.find((name) => name === given['method']) ?? DEFAULT_METHOD.name;
  const rows = given[methodNamed(method).rows?.field ?? ''];
  const seconds = Number(durationMs) / 1_000;
  const wholeMinutes = seconds % 60 === 0 && seconds > 60;
  return {
    budget: typed(budget),
    packets: typed(packets),
    method,
    min: typed(min) || '0.01',
    max: max === budget ? '' : typed(max),
    rows: Array.isArray(rows) ? { [method]: rows.map(rowOf) } : {},
    ...(seconds > 0 && {
      duration: String(wholeMinutes ? seconds / 60 : seconds),
      durationUnit: wholeMinutes ? ('min' as const) : ('s' as const),
    }),
    greeting: greetingFrom(fieldsOf(greeting)),
    terms: Object.fromEntries(
      requestedTermNames('rains of their own').flatMap((name): [string, boolean | string][] => {
        const value = fieldsOf(terms)[name];
        return value === undefined ? [] : [[name, typeof value === 'boolean' ? value : typed(value)]];
      }),
    ),
  };
}

const fieldsOf = (value: unknown) => Object(value) as Record<string, unknown>;

const typed = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

function greetingFrom({ sender, blessing, prizes, theme }: Record<string, unknown>): TypedGreeting {
  const rows = Array.isArray(prizes)
    ? prizes.map(fieldsOf).map((prize) => ({ from: typed(prize['from']), blessing: typed(prize['blessing']) }))
    : NO_GREETING.prizes;
  return { sender: typed(sender), blessing: typed(blessing), prizes: rows, theme: typed(theme) };
}

const rowOf = (row: unknown): TypedRow =>
  Object.fromEntries(Object.entries(fieldsOf(row)).map(([column, value]) => [column, typed(value)]));
