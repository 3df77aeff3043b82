import { beforeAll, expect, test } from 'vitest';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import { topUpFor } from '../../src/operator/campaign/rollOver.ts';
import { loadRain } from '../../src/operator/load.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { topUpRain } from '../../src/operator/topUp.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { METHOD_NAMES } from '../../src/rain/split/methods.ts';
import { EXAMPLES } from '../rain/split/examples.ts';
import type { TestContext } from '../support/operatorContext.ts';
import { even, openRounds } from './rollOverStage.ts';

const { context: openContext, round, settle, end, told, report, expectInOrder } = openRounds();
let context: TestContext;
beforeAll(() => {
  context = openContext();
});

test('[R8] unclaimed money of a round is won in the next, and both are balanced', async () => {
  await createCampaign(context, { id: 'roll', winsPerUserMax: 9, rollOver: true });
  await round('roll', 1);
  await round('roll', 2, { plan: even('2.00', 4) });
  await end('roll.1', 'ann');
  expect(await settle('roll.1')).toEqual({ outcome: 'settled' });
  // 3.00 at 0.50 each, as the second round was planned.
  expect(await report('roll.2')).toMatchObject({ budget: '5.00', packets: 10, unclaimed: '5.00' });
  expect(await report('roll.1')).toMatchObject({ credited: '1.00', recycled: '3.00' });
  expect(await told('roll.1')).toEqual([{ amount: '3.00', to: 'roll.2' }]);
  await end('roll.2', ...Array.from({ length: 12 }, (_, i) => `user-${i}`));
  expect(await settle('roll.2')).toEqual({ outcome: 'settled' });
  expect(await report('roll.2')).toMatchObject({ credited: '5.00', recycled: '0.00', winners: 10 });
  expect(await told('roll.2')).toEqual([]);
  await expectInOrder('roll.1', 'roll.2');
});

test('a round that is over is skipped, a draft receives the money, and without a round it stays with the operator', async () => {
  await createCampaign(context, { id: 'last', winsPerUserMax: 9, rollOver: true });
  for (const number of [1, 2]) await round('last', number);
  await round('last', 3, { load: false });
  await closeRain(context, 'last.2');
  await end('last.1');
  expect(await settle('last.1')).toEqual({ outcome: 'settled' });
  expect(await told('last.1')).toEqual([{ amount: '4.00', to: 'last.3' }]);
  expect(await loadRain(context, 'last.3')).toEqual({ ok: true, packets: 8 });
  await end('last.3');
  expect(await settle('last.3')).toEqual({ outcome: 'settled' });
  expect(await told('last.3')).toEqual([
    { amount: '8.00', keeps: 'the operator: no further round of the campaign goes on' },
  ]);
  // The second one ends after the third: rounds before it take nothing.
  expect(await settle('last.2')).toEqual({ outcome: 'settled' });
  await expectInOrder('last.1', 'last.2', 'last.3');
});

test('[R12] a manual top-up cannot use the id of a roll-over: it would stop that money from moving', async () => {
  await createCampaign(context, { id: 'named', winsPerUserMax: 9, rollOver: true });
  for (const number of [1, 2]) await round('named', number);
  expect(await topUpRain(context, 'named.2', { id: 'rollover:named.1', budget: '1.00', packets: 1 })).toMatchObject({
    ok: false,
    refusals: [{ field: 'id' }],
  });
  await end('named.1');
  expect(await settle('named.1')).toEqual({ outcome: 'settled' });
  expect(await told('named.1')).toEqual([{ amount: '4.00', to: 'named.2' }]);
  expect(await report('named.2')).toMatchObject({ budget: '8.00' });
});

test('a campaign without roll-over leaves the unclaimed money with the operator', async () => {
  await createCampaign(context, { id: 'keep', winsPerUserMax: 9 });
  for (const number of [1, 2]) await round('keep', number);
  await end('keep.1');
  expect(await settle('keep.1')).toEqual({ outcome: 'settled' });
  expect(await report('keep.2')).toMatchObject({ budget: '4.00' });
  expect(await told('keep.1')).toEqual([]);
});

test('adds as many packets as keep the mean of the round, at least one, and never more than cents', () => {
  const next = (budgetCents: bigint, packets: number, split: Record<string, unknown> = {}) => ({
    budgetCents,
    packets,
    topUps: [],
    split: split as never,
  });
  expect(topUpFor(next(10_000n, 100), 250n)).toEqual({ budget: '2.50', packets: 2, split: { method: 'double-mean' } });
  expect(topUpFor(next(10_000n, 100), 1n)).toEqual({ budget: '0.01', packets: 1, split: { method: 'double-mean' } });
  expect(topUpFor(next(100n, 100, { split: { method: 'even' } }), 7n)).toEqual({
    budget: '0.07',
    packets: 7,
    split: { method: 'even' },
  });
  expect(topUpFor(next(10_000n, 100, { split: { method: 'tiers', tiers: [] } }), 100n).split).toEqual({
    method: 'double-mean',
  });
  for (const name of METHOD_NAMES)
    expect(checkPlan(topUpFor(next(10_000n, 100, { split: EXAMPLES[name].split }), 1n)), name).toMatchObject({
      ok: true,
    });
  // Later top-ups do not count: a rest that goes from round to round would else change the rounds.
  expect(
    topUpFor({ ...next(20_000n, 101), topUps: [{ budgetCents: 10_000n, packets: 1 } as never] }, 200n).packets,
  ).toBe(2);
});

test('a round planned by a newer version is not guessed: no money moves, and the call can be repeated', () => {
  expect(() =>
    topUpFor({ budgetCents: 100n, packets: 1, topUps: [], split: { split: { method: 'by-the-moon' } } as never }, 1n),
  ).toThrow('does not know');
});
