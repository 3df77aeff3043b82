import { idAt } from '../../../../src/rain/idAt.ts';
import { DEFAULT_METHOD, methodNamed, type MethodName } from '../../../../src/rain/split/methods.ts';
import {
  requestedTermNames,
  describeTerm,
  type RequestedTermName,
  type RequestedTerms,
} from '../../../../src/rain/terms.ts';
import type { TicketRules } from '../../../../src/rain/ticketRules.ts';
import type { FieldRefusal, Plan } from '../../state/responses.ts';
import { amountTyped, timeTyped, typedTime } from '../../words/figures.ts';
import { greetingOf, NO_GREETING, type TypedGreeting } from '../greeting/typed.ts';

export const UNITS_MS = { s: 1_000, min: 60_000, h: 3_600_000 } as const;
export type Unit = keyof typeof UNITS_MS;

/** One row of a list, by its columns. */
export type TypedRow = Readonly<Record<string, string>>;
type TypedRows = Readonly<Partial<Record<MethodName, readonly TypedRow[]>>>;

/** When it begins and how long it lasts, as typed. */
export interface TimeDraft {
  when: 'in' | 'at' | 'rounds';
  startIn: string;
  startInUnit: Unit;
  /** Values of `datetime-local` inputs, in the time zone of the event. */
  starts: readonly string[];
  duration: string;
  durationUnit: Unit;
}

/** The form as typed. The console validates it. */
export interface Draft extends TimeDraft {
  /** Chosen once per form, so that sending it twice creates one rain. */
  id: string;
  title: string;
  budget: string;
  packets: string;
  method: MethodName;
  /** Typed rows of the methods with a list. Kept while another method is selected. */
  rows: TypedRows;
  min: string;
  max: string;
  /** Flags that are on, and counts as typed. Some do not apply to these rains. */
  terms: { readonly [N in RequestedTermName]?: boolean | string };
  greeting: TypedGreeting;
  /** Fields of the chosen template that the form does not have. */
  kept?: { shards?: number; ticketRules?: TicketRules } | undefined;
  /** The campaign of these rounds; `first` is the number of the first round. */
  campaign?: { id: string; first: number };
}

/** The properties of every part of the form. */
export interface PartProps {
  draft: Draft;
  refusals: readonly FieldRefusal[];
  change: (change: Partial<Draft>) => void;
}

export type PresetName = 'party' | 'flash' | 'alike';

/** Common rains to start from. */
export const PRESETS: Record<PresetName, Partial<Draft>> = {
  party: {
    budget: '8888.00',
    packets: '300',
    method: 'tiers',
    rows: {
      tiers: [
        { count: '1', amount: '888.00' },
        { count: '10', amount: '88.88' },
      ],
    },
    min: '1.00',
    max: '',
    when: 'in',
    startIn: '10',
    startInUnit: 'min',
    duration: '2',
    durationUnit: 'min',
  },
  flash: {
    budget: '520.00',
    packets: '66',
    method: 'double-mean',
    rows: {},
    min: '0.10',
    max: '',
    when: 'in',
    startIn: '60',
    startInUnit: 's',
    duration: '30',
    durationUnit: 's',
  },
  alike: {
    budget: '1000.00',
    packets: '100',
    method: 'even',
    rows: {},
    min: '0.01',
    max: '',
    when: 'in',
    startIn: '5',
    startInUnit: 'min',
    duration: '60',
    durationUnit: 's',
  },
};

export function newId(
  now: number,
  random: (bytes: Uint8Array<ArrayBuffer>) => Uint8Array = (bytes) => crypto.getRandomValues(bytes),
): string {
  return idAt(now, random(new Uint8Array(4)));
}

export function newDraft(now: number, campaign?: Draft['campaign']): Draft {
  return {
    id: newId(now),
    title: '',
    budget: '',
    packets: '',
    method: DEFAULT_METHOD.name,
    rows: {},
    min: '0.01',
    max: '',
    when: 'in',
    startIn: '5',
    startInUnit: 'min',
    // A quarter of an hour from now, rounded up to five minutes.
    starts: [typedTime(Math.ceil(now / 300_000 + 3) * 300_000)],
    duration: '60',
    durationUnit: 's',
    terms: {},
    greeting: NO_GREETING,
    ...(campaign && { campaign, when: 'rounds' }),
  };
}

/** The terms that apply to the rains of this form. */
export function termsFor({ campaign }: Pick<Draft, 'campaign'>): RequestedTermName[] {
  return requestedTermNames(campaign ? 'rounds' : 'rains of their own');
}

/** The terms of the request. Terms that are off or empty are left out. */
function termsOf(draft: Pick<Draft, 'campaign' | 'terms'>): RequestedTerms {
  return Object.fromEntries(
    termsFor(draft).flatMap((name) => {
      const typed = draft.terms[name];
      if (typed === undefined || typed === false || (typeof typed === 'string' && typed.trim() === '')) return [];
      return [[name, describeTerm(name).kind === 'flag' || typeof typed !== 'string' ? typed : numberTyped(typed)]];
    }),
  );
}

/** The plan of the request. An invalid number becomes null in JSON, and the console refuses it by name. */
export function planOf({ budget, packets, method, rows, min, max }: Omit<Draft, 'id' | 'title'>): Plan {
  return {
    budget: amountTyped(budget),
    packets: numberTyped(packets),
    split: { method, ...listOf(method, rows) },
    ...(min.trim() !== '' && { min: amountTyped(min) }),
    ...(max.trim() !== '' && { max: amountTyped(max) }),
  };
}

/** Whether every field that the plan needs has a text. Before, a refusal would speak of what nobody has typed. */
export function isPlanTyped({ budget, packets, method, rows }: Pick<Draft, 'budget' | 'packets' | 'method' | 'rows'>) {
  const columns = Object.keys(methodNamed(method).rows?.columns ?? {});
  const cells = rowsTyped(method, rows).flatMap((row) => columns.map((column) => row[column] ?? ''));
  return [budget, packets, ...cells].every((text) => text.trim() !== '');
}

function listOf(name: MethodName, typed: TypedRows): Record<string, unknown> {
  const { rows } = methodNamed(name);
  if (!rows) return {};
  const read = ([column, text]: [string, string]) => [
    column,
    rows.columns[column]!.kind === 'whole' ? numberTyped(text) : amountTyped(text),
  ];
  return { [rows.field]: rowsTyped(name, typed).map((row) => Object.fromEntries(Object.entries(row).map(read))) };
}

/** The rows of the list; at least one, to be filled in. */
export function rowsTyped(name: MethodName, typed: TypedRows): readonly TypedRow[] {
  return typed[name] ?? [methodNamed(name).rows?.form.first ?? {}];
}

/**
 * Commas group digits by three. NaN: no number, or one such as `1,5`, whose comma is a point to some and nothing to
 * others.
 */
export function numberTyped(text: string): number {
  const plain = text.replace(/\s/g, '').replaceAll('，', ',');
  return /^-?(\d{1,3}(,\d{3})+|\d+)?(\.\d+)?$/.test(plain) && /\d/.test(plain)
    ? Number(plain.replaceAll(',', ''))
    : NaN;
}

/** Starts in epoch ms, and how long each lasts. */
export function timesOf(
  { when, startIn, startInUnit, starts, duration, durationUnit }: TimeDraft,
  now: number,
): { starts: number[]; durationMs: number } {
  return {
    starts:
      when === 'in'
        ? [Math.round(now + numberTyped(startIn) * UNITS_MS[startInUnit])]
        : starts.slice(0, when === 'at' ? 1 : undefined).map(timeTyped),
    durationMs: Math.round(numberTyped(duration) * UNITS_MS[durationUnit]),
  };
}

/** The fields of the form besides id and times: the same in the request for a rain and in a template. */
export function formOf(draft: Omit<Draft, 'id' | 'title'>) {
  const greeting = greetingOf(draft.greeting);
  // A campaign decides the shards of its rounds.
  const { shards, ticketRules } = draft.kept ?? {};
  return {
    plan: planOf(draft),
    terms: termsOf(draft),
    ...(Object.keys(greeting).length > 0 && { greeting }),
    ...(ticketRules && { ticketRules }),
    ...(shards !== undefined && !draft.campaign && { shards }),
  };
}

/** One request per rain. The ids are the same at every call, so a repeated request creates no second rain. */
export function requestsOf(draft: Draft, now: number) {
  const { starts, durationMs } = timesOf(draft, now);
  const title = draft.title.trim();
  const { campaign } = draft;
  const form = formOf(draft);
  return starts.map((opensAt, i) => {
    // The id of a round begins with the id of its campaign.
    const round = campaign && { id: campaign.id, round: campaign.first + i };
    return {
      id: round ? `${round.id}.${round.round}` : starts.length === 1 ? draft.id : `${draft.id}-${i + 1}`,
      ...(title !== '' && {
        title: round ? `${title} · ${round.round}` : starts.length === 1 ? title : `${title} · ${i + 1}`,
      }),
      ...form,
      opensAt,
      closesAt: opensAt + durationMs,
      load: true,
      ...(round && { campaign: round }),
    };
  });
}

export type RainRequest = ReturnType<typeof requestsOf>[number];

/** Refusals of invalid times. They are checked here, because in JSON they would all become null. */
export function timeRefusals({ when, startIn, starts, duration }: TimeDraft): FieldRefusal[] {
  const refusals: FieldRefusal[] = [];
  if (when === 'in' && !(numberTyped(startIn) >= 0)) refusals.push({ field: 'opensAt', reason: 'expected a number' });
  if (when !== 'in')
    starts.slice(0, when === 'at' ? 1 : undefined).forEach((start, i) => {
      if (Number.isNaN(timeTyped(start)))
        refusals.push(...placedAt({ when }, i, [{ field: 'opensAt', reason: 'expected a date and a time' }]));
    });
  if (!(numberTyped(duration) > 0)) refusals.push({ field: 'closesAt', reason: 'expected a number above zero' });
  return refusals;
}

/** The refusals of rain number `i`: with several rounds, a start is refused beside the start of that round. */
export function placedAt(
  { when }: Pick<TimeDraft, 'when'>,
  i: number,
  refusals: readonly FieldRefusal[],
): FieldRefusal[] {
  return refusals.map(({ field, reason }) => ({
    field: when === 'rounds' && field === 'opensAt' ? `opensAt.${i}` : field,
    reason,
  }));
}

/** The start of the next round: the same interval as between the last two, otherwise 30 minutes. */
export function nextStart(starts: readonly string[]): string {
  const [before, last] = [starts.at(-2), starts.at(-1)].map((start) =>
    start === undefined ? NaN : timeTyped(start),
  ) as [number, number];
  const gap = last - before > 0 ? last - before : 30 * 60_000;
  return Number.isNaN(last) ? '' : typedTime(last + gap);
}

/**
 * The refusals of these fields. The console names the fields of a plan and of a greeting with or without a prefix, and
 * terms as `terms.*`.
 */
export function refusalsFor(refusals: readonly FieldRefusal[], ...fields: string[]): FieldRefusal[] {
  return refusals.filter(({ field }) => fields.includes(field.replace(/^(plan|greeting)\./, '')));
}
