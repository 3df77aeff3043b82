import { expect, test } from 'vitest';
import {
  isPlanTyped,
  newDraft,
  newId,
  nextStart,
  numberTyped,
  planOf,
  PRESETS,
  refusalsFor,
  requestsOf,
  timeRefusals,
  type Draft,
  type PresetName,
} from '../../client-console/src/screens/create/draft.ts';
import { draftLike } from '../../client-console/src/screens/create/duplicate.ts';
import type { RainDetail } from '../../client-console/src/state/responses.ts';
import { rainId } from '../../src/rain/ids.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { METHODS } from '../../src/rain/split/methods.ts';

const NOW = Date.parse('2027-01-20T12:00:00Z');

test.each(Object.keys(PRESETS) as PresetName[])('the preset %s is a valid plan', (name) => {
  expect(checkPlan(planOf({ ...newDraft(NOW), ...PRESETS[name] }))).toMatchObject({ ok: true });
});

test.each(METHODS)(
  'the form starts $name with the required fields, labelled in both languages',
  ({ name, label, rows }) => {
    expect(Object.values(label).every((text) => text.length > 0)).toBe(true);
    const { split } = planOf({ ...newDraft(NOW), budget: '10', packets: '10', method: name });
    if (!rows) return expect(checkPlan({ budget: '10.00', packets: 10, split })).toMatchObject({ ok: true });
    // One row with empty amounts: each refusal names a field of the form.
    const verdict = checkPlan({ budget: '10.00', packets: 10, split });
    for (const { field } of verdict.ok ? [] : verdict.refusals)
      expect(field).toMatch(new RegExp(`^split\\.${rows.field}(\\.0\\.(${Object.keys(rows.columns).join('|')}))?$`));
  },
);

test('typed numbers become wire values, and an invalid number is refused by name', () => {
  const typed = { ...newDraft(NOW), budget: ' ¥8,888.5 ', packets: '1,000', min: '', max: '88' };
  expect(planOf(typed)).toEqual({ budget: '8888.50', packets: 1_000, split: { method: 'double-mean' }, max: '88.00' });
  const wrong = JSON.parse(JSON.stringify(planOf({ ...typed, packets: 'many', budget: 'much' }))) as unknown;
  expect(checkPlan(wrong)).toMatchObject({ ok: false, refusals: [{ field: 'packets' }] });
});

test('nothing is checked before every field has a text: an empty prize is not called a wrong amount', () => {
  const typed = { ...newDraft(NOW), budget: '10', packets: '5', method: 'tiers' as const };
  expect(isPlanTyped(typed)).toBe(false);
  const rows = { tiers: [{ count: '1', amount: '2' }] };
  expect(isPlanTyped({ ...typed, rows })).toBe(true);
  expect(isPlanTyped({ ...typed, rows: { tiers: [...rows.tiers, { count: '1', amount: ' ' }] } })).toBe(false);
  expect([isPlanTyped({ ...typed, rows, budget: '' }), isPlanTyped({ ...typed, method: 'even' })]).toEqual([
    false,
    true,
  ]);
});

test('the rains of a form have the same ids at every submit; several rounds are several rains', () => {
  const draft = {
    ...newDraft(NOW),
    title: 'Party',
    budget: '10',
    packets: '5',
    when: 'rounds' as const,
    starts: ['2027-01-20T20:00:00', '2027-01-20T20:30:00'],
    duration: '2',
    durationUnit: 'min' as const,
  };
  const [first, second] = requestsOf(draft, NOW);
  expect(requestsOf(draft, NOW + 5_000)).toEqual([first, second]);
  expect([first!.id, second!.id]).toEqual([`${draft.id}-1`, `${draft.id}-2`]);
  for (const { id } of [first!, second!, requestsOf({ ...draft, when: 'at' }, NOW)[0]!])
    expect(rainId.safeParse(id).success).toBe(true);
  expect(second).toMatchObject({ title: 'Party · 2', opensAt: new Date('2027-01-20T20:30:00').getTime(), load: true });
  expect(second!.closesAt - second!.opensAt).toBe(120_000);
  expect(second!.terms).toEqual({});
});

test('a relative start counts from the submit', () => {
  const draft = { ...newDraft(NOW), startIn: '1.5', startInUnit: 'min' as const, terms: { rehearsal: true } };
  expect(requestsOf(draft, NOW)).toMatchObject([{ id: draft.id, opensAt: NOW + 90_000, terms: { rehearsal: true } }]);
});

test('rounds of a campaign have its id and consecutive numbers, and are no rehearsals', () => {
  const draft = {
    ...newDraft(NOW, { id: 'c1', first: 3 }),
    title: 'Evening',
    terms: { rehearsal: true, excludeEarlierWinners: true },
    starts: ['2027-01-20T20:00', '2027-01-20T21:00'],
  };
  expect(requestsOf(draft, NOW)).toMatchObject([
    { id: 'c1.3', title: 'Evening · 3', terms: { excludeEarlierWinners: true }, campaign: { id: 'c1', round: 3 } },
    { id: 'c1.4', campaign: { round: 4 } },
  ]);
  expect(requestsOf(draft, NOW)[0]!.terms).not.toHaveProperty('rehearsal');
});

test('a greeting goes with every rain of the form, without what is empty', () => {
  const draft = {
    ...newDraft(NOW),
    when: 'rounds' as const,
    starts: ['2027-01-20T20:00', '2027-01-20T21:00'],
    greeting: { sender: ' The management ', blessing: ' ', prizes: [], theme: '' },
  };
  expect(requestsOf(draft, NOW).map(({ greeting }) => greeting)).toEqual([
    { sender: 'The management' },
    { sender: 'The management' },
  ]);
  expect(requestsOf(newDraft(NOW), NOW)[0]).not.toHaveProperty('greeting');
});

test.each([
  ['1000', 1_000],
  ['1,000', 1_000],
  ['1，234，567.5', 1_234_567.5],
  [' 1 000 ', 1_000],
  ['0.5', 0.5],
  ['.5', 0.5],
  ['-3', -3],
  ['1,5', NaN],
  ['10,5', NaN],
  ['1,00', NaN],
  ['1,0000', NaN],
  ['0x10', NaN],
  ['1e2', NaN],
  ['Infinity', NaN],
  ['', NaN],
  ['.', NaN],
  ['-', NaN],
  ['1.', NaN],
])('a number typed as "%s" is %d: none is guessed', (text, number) => expect(numberTyped(text)).toBe(number));

test('[R12] an invalid time is refused by name before it is sent', () => {
  const fields = (changed: Partial<Draft>) => timeRefusals({ ...newDraft(NOW), ...changed }).map(({ field }) => field);
  expect(fields({})).toEqual([]);
  expect(fields({ startIn: 'soon', duration: '0' })).toEqual(['opensAt', 'closesAt']);
  expect(fields({ when: 'rounds', starts: ['2027-01-20T20:00', ''] })).toEqual(['opensAt.1']);
  expect(fields({ when: 'rounds', starts: ['', '2027-01-20T20:00', ''] })).toEqual(['opensAt.0', 'opensAt.2']);
  expect(fields({ when: 'at', starts: ['2027-01-20T20:00', ''], startIn: '' })).toEqual([]);
});

test('a new round keeps the interval of the last two rounds', () => {
  expect(nextStart(['2027-01-20T20:00:00'])).toBe('2027-01-20T20:30:00');
  expect(nextStart(['2027-01-20T20:00:00', '2027-01-20T21:15:00'])).toBe('2027-01-20T22:30:00');
  expect(nextStart([''])).toBe('');
});

test('ids sort by time and have a random part', () => {
  const drawn = (byte: number) => (bytes: Uint8Array<ArrayBuffer>) => bytes.fill(byte);
  expect(newId(NOW, drawn(1)) < newId(NOW + 1, drawn(0))).toBe(true);
  expect(newId(NOW, drawn(1))).not.toBe(newId(NOW, drawn(2)));
});

test('a refusal is matched to its field, with or without the prefix "plan."', () => {
  const refusals = [
    { field: 'plan.budget', reason: 'a' },
    { field: 'budget', reason: 'b' },
    { field: 'min', reason: 'c' },
  ];
  expect(refusalsFor(refusals, 'budget').map(({ reason }) => reason)).toEqual(['a', 'b']);
});

test.each([
  {
    budget: '8888.00',
    packets: 300,
    split: {
      method: 'tiers',
      tiers: [
        { count: 1, amount: '888.00' },
        { count: 10, amount: '88.88' },
      ],
    },
    min: '1.00',
    max: '8888.00',
  },
  { budget: '10.00', packets: 5, split: { method: 'even' }, min: '0.01', max: '3.00' },
  { budget: '10.00', packets: 5, split: { method: 'double-mean' } },
])(
  'a rain that is duplicated asks for the same plan, duration, terms and greeting, later and under another id: $split.method',
  (plan) => {
    const rain = {
      rainId: 'r1',
      title: 'Party',
      plan,
      terms: { rehearsal: true, winsMax: 3 },
      greeting: { blessing: 'All the best', theme: 'spring' },
      opensAt: '2027-01-19T12:00:00.000Z',
      closesAt: '2027-01-19T12:02:00.000Z',
    } as unknown as RainDetail;
    const draft = draftLike(rain, NOW);
    const { max, ...rest } = plan as typeof plan & { max?: string };
    expect(planOf(draft)).toEqual({ min: '0.01', ...rest, ...(max !== undefined && max !== plan.budget && { max }) });
    const [asked] = requestsOf(draft, NOW);
    expect(asked).toMatchObject({
      title: 'Party',
      terms: { rehearsal: true },
      greeting: { blessing: 'All the best', theme: 'spring' },
    });
    expect([
      asked!.id === 'r1',
      asked!.closesAt - asked!.opensAt,
      asked!.opensAt > NOW,
      'winsMax' in asked!.terms,
    ]).toEqual([false, 120_000, true, false]);
  },
);
