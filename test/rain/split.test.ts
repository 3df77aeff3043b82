import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatMoney } from '../../src/rain/money.ts';
import type { CheckedPlan, RainPlan } from '../../src/rain/plan.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { splitBudget } from '../../src/rain/split.ts';
import { METHOD_NAMES } from '../../src/rain/split/methods.ts';
import { anySplit, EXAMPLES } from './split/examples.ts';

const RECORDED = { budget: '8888.00', packets: 1_000 };

const seedOf = (n: number) => createHash('sha256').update(`seed ${n}`).digest('hex');

function checked(asked: RainPlan): CheckedPlan {
  const verdict = checkPlan(asked);
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.refusals));
  return verdict.plan;
}

/**
 * Plans around a mean, so that min, max and what a method asks for are often tight; only those that an operator could
 * get.
 */
const anyPlan: fc.Arbitrary<CheckedPlan> = fc
  .record({
    packets: fc.integer({ min: 1, max: 400 }),
    mean: fc.bigInt({ min: 1n, max: 100_000n }),
    remainder: fc.nat(),
    below: fc.bigInt({ min: 0n, max: 100_000n }),
    above: fc.bigInt({ min: 1n, max: 300_000n }),
  })
  .chain(({ packets, mean, remainder, below, above }) => {
    const amount = fc.bigInt({ min: 1n, max: 2_000n }).map((permille) => formatMoney((mean * permille) / 1_000n));
    return anySplit({ amount, wholeMax: 100 }).map((split) =>
      checkPlan({
        budget: formatMoney(mean * BigInt(packets) + BigInt(remainder % packets)),
        packets,
        min: formatMoney(mean > below ? mean - below : 1n),
        max: formatMoney(mean + above),
        split,
      }),
    );
  })
  .filter((verdict) => verdict.ok)
  .map((verdict) => verdict.plan);

const anySeed = fc.nat().map(seedOf);

describe('[R3] the budget as packets', () => {
  test('sums to the cent, each packet within its bounds, whatever the plan', () => {
    fc.assert(
      fc.property(anyPlan, anySeed, (plan, seed) => {
        const amounts = splitBudget(plan, seed);
        expect(amounts.length).toBe(plan.packets);
        expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(plan.budgetCents);
        expect(amounts.every((amount) => amount >= plan.minCents && amount <= plan.maxCents)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('is the same for the same seed and another for another', () => {
    fc.assert(
      fc.property(fc.nat(), fc.constantFrom(...METHOD_NAMES), (n, method) => {
        const plan = checked({ ...RECORDED, split: EXAMPLES[method].split });
        expect(splitBudget(plan, seedOf(n))).toEqual(splitBudget(plan, seedOf(n)));
        expect(splitBudget(plan, seedOf(n))).not.toEqual(splitBudget(plan, seedOf(n + 1)));
      }),
      { numRuns: 50 },
    );
  });

  test.each(METHOD_NAMES)(
    '%s never changes for a recorded seed: later versions can recompute a rain of today',
    (method) => {
      const { split, recorded } = EXAMPLES[method];
      const amounts = splitBudget(checked({ ...RECORDED, split }), seedOf(1));
      expect(createHash('sha256').update(amounts.join()).digest('hex').slice(0, 16)).toBe(recorded);
    },
  );

  test('even: nobody gets more than one cent more than another', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 100n, max: 1_000_000n }),
        fc.integer({ min: 1, max: 100 }),
        anySeed,
        (budgetCents, packets, seed) => {
          const plan = checked({ budget: formatMoney(budgetCents), packets, split: { method: 'even' } });
          const amounts = [...splitBudget(plan, seed)].sort((a, b) => Number(a - b));
          expect(amounts.at(-1)! - amounts[0]!).toBeLessThanOrEqual(1n);
        },
      ),
    );
  });

  test('double-mean: amounts differ, from near nothing to beyond the mean, and keep the mean', () => {
    const amounts = splitBudget(checked({ budget: '10000.00', packets: 1_000 }), seedOf(2));
    const sorted = [...amounts].sort((a, b) => Number(a - b));
    expect(new Set(sorted).size).toBeGreaterThan(500);
    expect(sorted[0]!).toBeLessThan(50n);
    expect(sorted.at(-1)!).toBeGreaterThan(1_500n);
    // The median of a uniform spread up to twice the mean is the mean, 10.00.
    expect(Math.abs(Number(sorted[500]!) - 1_000)).toBeLessThan(100);
  });

  test('tiers: every prize is there as often as promised, and the rest is not prizes', () => {
    const amounts = splitBudget(
      checked({
        budget: '8888.00',
        packets: 1_000,
        max: '888.00',
        split: {
          method: 'tiers',
          tiers: [
            { count: 1, amount: '888.00' },
            { count: 10, amount: '88.80' },
          ],
        },
      }),
      seedOf(3),
    );
    const count = (cents: bigint) => amounts.filter((amount) => amount === cents).length;
    expect([count(88_800n), count(8_880n), amounts.filter((amount) => amount < 8_880n).length]).toEqual([1, 10, 989]);
  });

  test('the largest rain, a million packets, is split to the cent', () => {
    const amounts = splitBudget(checked({ budget: '8888888.88', packets: 1_000_000 }), seedOf(4));
    expect([amounts.length, formatMoney(amounts.reduce((sum, cents) => sum + cents, 0n))]).toEqual([
      1_000_000,
      '8888888.88',
    ]);
  });

  test('the largest budget in one packet, and split by two, is exact', () => {
    const budget = '90071992547409.91';
    expect([...splitBudget(checked({ budget, packets: 1 }), seedOf(5))]).toEqual([9_007_199_254_740_991n]);
    const [one, other] = splitBudget(checked({ budget, packets: 2 }), seedOf(5));
    expect(one! + other!).toBe(9_007_199_254_740_991n);
  });
});
