import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalText, checkReceipt, commitmentOf, verifyFairness, type Promised } from '../../src/rain/commitment.ts';
import { formatMoney } from '../../src/rain/money.ts';
import type { RainPlan } from '../../src/rain/plan.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { redPacketId } from '../../src/rain/red-packet.ts';
import { splitBudget } from '../../src/rain/split.ts';

const SEED = '00112233445566778899aabbccddeeff'.repeat(2);
const PLAN = {
  budget: '100.00',
  packets: 20,
  min: '0.10',
  max: '30.00',
  split: {
    method: 'tiers',
    tiers: [
      { count: 1, amount: '18.88' },
      { count: 2, amount: '8.80' },
    ],
  },
} as const satisfies RainPlan;
const PROMISED: Promised = { rainId: 'gala', seed: SEED, plan: PLAN, shards: 2 };
const withTiers = (...tiers: { count: number; amount: string }[]) => ({ ...PLAN, split: { method: 'tiers', tiers } });

/** The same value with the keys of every object in another order, as a database may give it back. */
function reordered(value: unknown, turn: number): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item, turn));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, reordered(item, turn)] as const);
  return Object.fromEntries(
    [...entries.slice(turn % entries.length), ...entries.slice(0, turn % entries.length)].reverse(),
  );
}

describe('the commitment', () => {
  test('is the SHA-256 of key-sorted JSON without spaces', () => {
    expect(canonicalText(PROMISED)).toBe(
      '{"plan":{"budget":"100.00","max":"30.00","min":"0.10","packets":20,"split":{"method":"tiers",' +
        `"tiers":[{"amount":"18.88","count":1},{"amount":"8.80","count":2}]}},"rainId":"gala","seed":"${SEED}","shards":2,"version":"red-packet-rain/v1"}`,
    );
    expect(commitmentOf(PROMISED)).toBe(createHash('sha256').update(canonicalText(PROMISED)).digest('hex'));
  });

  test('changes with everything that determines the amounts', () => {
    const { max: _, ...unbounded } = PLAN;
    const others: Promised[] = [
      PROMISED,
      { ...PROMISED, rainId: 'gala2' },
      { ...PROMISED, seed: SEED.replace('0', '1') },
      { ...PROMISED, shards: 1 },
      ...[
        { ...PLAN, budget: '100.01' },
        { ...PLAN, packets: 21 },
        { ...PLAN, min: '0.11' },
        { ...PLAN, max: '30.01' },
        unbounded,
        { ...PLAN, split: { method: 'even' } },
        { ...PLAN, split: { method: 'double-mean' } },
        withTiers({ count: 2, amount: '18.88' }, { count: 2, amount: '8.80' }),
        withTiers({ count: 1, amount: '18.88' }, { count: 2, amount: '8.81' }),
        withTiers({ count: 2, amount: '8.80' }, { count: 1, amount: '18.88' }),
        withTiers({ count: 1, amount: '18.88' }),
      ].map((plan) => ({ ...PROMISED, plan })),
    ];
    expect(new Set(others.map(commitmentOf)).size).toBe(others.length);
  });

  test('does not change with the order of keys, nor with a field that is there but undefined', () => {
    fc.assert(
      fc.property(fc.nat(10), (turn) => {
        expect(commitmentOf({ ...PROMISED, plan: reordered(PLAN, turn) })).toBe(commitmentOf(PROMISED));
      }),
    );
    const { max: _, ...unbounded } = PLAN;
    expect(commitmentOf({ ...PROMISED, plan: { ...PLAN, max: undefined } })).toBe(
      commitmentOf({ ...PROMISED, plan: unbounded }),
    );
  });
});

describe('a verification', () => {
  const commitment = commitmentOf(PROMISED);

  test('gives the packets as they are handed out', () => {
    const checked = checkPlan(PLAN);
    const verdict = verifyFairness({ ...PROMISED, commitment });
    expect(verdict.outcome === 'ok' && [...verdict.allocation]).toEqual(
      checked.ok && [...splitBudget(checked.plan, SEED)],
    );
  });

  test.each<[string, Partial<Promised & { commitment: string }>, object]>([
    ['another seed', { seed: 'ab'.repeat(32) }, { outcome: 'commitment_differs' }],
    ['another plan', { plan: { ...PLAN, min: '0.11' } }, { outcome: 'commitment_differs' }],
    ['another rain', { rainId: 'other' }, { outcome: 'commitment_differs' }],
    ['another number of shards', { shards: 1 }, { outcome: 'commitment_differs' }],
    ['another commitment', { commitment: 'ab'.repeat(32) }, { outcome: 'commitment_differs', recomputed: commitment }],
    ['a commitment that is none', { commitment: '' }, { outcome: 'commitment_differs' }],
    ['a seed that is none', { seed: 'abc' }, { outcome: 'bad_seed' }],
    [
      'a plan that cannot be carried out',
      { plan: { ...PLAN, packets: 0 } },
      { outcome: 'bad_plan', refusals: [{ field: 'packets' }] },
    ],
    ['no plan', { plan: undefined }, { outcome: 'bad_plan' }],
  ])('[R12] %s is a value, never a throw', (_, change, verdict) => {
    expect(verifyFairness({ ...PROMISED, commitment, ...change })).toMatchObject(verdict);
  });
});

describe('a receipt', () => {
  const verdict = verifyFairness({ ...PROMISED, commitment: commitmentOf(PROMISED) });
  const allocation = verdict.outcome === 'ok' ? verdict.allocation : BigInt64Array.of();
  const check = (packet: string, amount: string, rainId = 'gala') =>
    checkReceipt(allocation, 'gala', { rainId, redPacketId: packet, amount });

  test('for each packet of the rain, with its amount, is as promised; with a cent more or less it is not', () => {
    expect(allocation.length).toBe(20);
    allocation.forEach((cents, index) => {
      const id = redPacketId('gala', index);
      expect(check(id, formatMoney(cents))).toEqual({ outcome: 'ok' });
      expect(check(id, formatMoney(cents + 1n))).toEqual({ outcome: 'amount_differs', promised: formatMoney(cents) });
      expect(check(id, formatMoney(cents - 1n))).toEqual({ outcome: 'amount_differs', promised: formatMoney(cents) });
    });
  });

  test.each([
    'gala-20',
    'gala--1',
    'gala-01',
    'gala-1.0',
    'gala-',
    'gala',
    '0',
    'gala-1e0',
    'other-0',
    'gala-99999999999999999999',
  ])('[R2] for %s there is no packet', (id) => {
    expect(check(id, '1.00')).toEqual({ outcome: 'no_such_packet' });
  });

  test('of another rain is reported as such', () => {
    expect(check('other-0', '1.00', 'other')).toEqual({ outcome: 'other_rain' });
  });
});
