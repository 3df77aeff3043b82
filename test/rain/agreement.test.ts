import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseMoney } from '../../src/rain/money.ts';
import type { RainPlan } from '../../src/rain/plan.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { splitBudget } from '../../src/rain/split.ts';

const seedOf = (n: number) => createHash('sha256').update(`agreement ${n}`).digest('hex');

/** Small figures, so that about half of the plans cannot be carried out, each for another reason. */
const amountText = fc.integer({ min: 1, max: 400 }).map((cents) => (cents / 100).toFixed(2));
const method = fc.oneof(
  fc.constantFrom({ method: 'even' as const }, { method: 'double-mean' as const }),
  fc.record({ method: fc.constant('tiers' as const), tiers: fc.array(fc.record({ count: fc.integer({ min: 1, max: 6 }), amount: amountText }), { minLength: 1, maxLength: 3 }) }),
);
const anyPlan: fc.Arbitrary<RainPlan> = fc.record(
  { budget: amountText, packets: fc.integer({ min: 1, max: 12 }), split: method, min: amountText, max: amountText },
  { requiredKeys: ['budget', 'packets', 'split'] },
);

const FIELDS = /^(budget|packets|min|max|split\.tiers(\.\d+\.amount)?)$/;

/** Whether whole cents can be laid out as asked, by counting alone: another way of thinking than the product's. */
function possible({ budget, packets, split, min = '0.01', max = budget }: RainPlan): boolean {
  const [cents, least, most] = [budget, min, max].map((text) => Number(parseMoney(text)!)) as [number, number, number];
  let [left, open] = [cents, packets];
  for (const { count, amount } of split?.method === 'tiers' ? split.tiers : []) {
    const each = Number(parseMoney(amount)!);
    if (each < least || each > most) return false;
    left -= count * each;
    open -= count;
  }
  // The sums that `open` packets within the bounds can have are exactly those from the least to the most, if there is any.
  return open >= 0 && least <= most && left >= open * least && left <= open * most;
}

describe('[R3] the check of a plan and its split agree', () => {
  test('what is accepted can be split, to the cent and within the bounds, whatever the seed', () => {
    let [accepted, refused] = [0, 0];
    fc.assert(fc.property(anyPlan, fc.nat(), (asked, n) => {
      const verdict = checkPlan(asked);
      if (!verdict.ok) return void refused++;
      accepted++;
      const amounts = splitBudget(verdict.plan, seedOf(n));
      expect(amounts.length).toBe(asked.packets);
      expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(parseMoney(asked.budget));
      for (const amount of amounts) expect(amount >= verdict.plan.minCents && amount <= verdict.plan.maxCents).toBe(true);
    }), { numRuns: 2_000 });
    // The generator must meet both sides of the line.
    expect(Math.min(accepted, refused)).toBeGreaterThan(200);
  });

  test('[R12] what is refused cannot be done at all, and each refusal names a field and gives a reason', () => {
    fc.assert(fc.property(anyPlan, (asked) => {
      const verdict = checkPlan(asked);
      expect(verdict.ok).toBe(possible(asked));
      for (const { field, reason } of verdict.ok ? [] : verdict.refusals) {
        expect(field).toMatch(FIELDS);
        expect(reason.length).toBeGreaterThan(10);
      }
    }), { numRuns: 2_000 });
  });

  test('even gives no two amounts that differ by more than a cent, within any bounds it is accepted with', () => {
    fc.assert(fc.property(anyPlan, fc.nat(), (asked, n) => {
      const verdict = checkPlan({ ...asked, split: { method: 'even' } });
      if (!verdict.ok) return;
      const amounts = [...splitBudget(verdict.plan, seedOf(n))].map(Number);
      expect(Math.max(...amounts) - Math.min(...amounts)).toBeLessThanOrEqual(1);
    }), { numRuns: 500 });
  });
});
