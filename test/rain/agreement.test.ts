import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseMoney } from '../../src/rain/money.ts';
import type { RainPlan } from '../../src/rain/plan.ts';
import { checkPlan } from '../../src/rain/plan-check.ts';
import { splitBudget } from '../../src/rain/split.ts';
import { DEFAULT_METHOD } from '../../src/rain/split/methods.ts';
import { anySplit, possible } from './split/examples.ts';

const seedOf = (n: number) => createHash('sha256').update(`agreement ${n}`).digest('hex');

/** Small figures, so that about half of the plans cannot be carried out, each for another reason. */
const amountText = fc.integer({ min: 1, max: 400 }).map((cents) => (cents / 100).toFixed(2));
const anyPlan: fc.Arbitrary<RainPlan> = fc.record(
  {
    budget: amountText,
    packets: fc.integer({ min: 1, max: 12 }),
    split: anySplit({ amount: amountText, wholeMax: 6 }),
    min: amountText,
    max: amountText,
  },
  { requiredKeys: ['budget', 'packets', 'split'] },
);

const FIELDS = /^(budget|packets|min|max|split\.\w+(\.\d+\.\w+)?)$/;

const cents = (amount: string) => Number(parseMoney(amount)!);

describe('[R3] the check of a plan and its split agree', () => {
  test('an accepted plan can be split, to the cent and within the bounds, for any seed', () => {
    let [accepted, refused] = [0, 0];
    fc.assert(
      fc.property(anyPlan, fc.nat(), (asked, n) => {
        const verdict = checkPlan(asked);
        if (!verdict.ok) return void refused++;
        accepted++;
        const amounts = splitBudget(verdict.plan, seedOf(n));
        expect(amounts.length).toBe(asked.packets);
        expect(amounts.reduce((sum, amount) => sum + amount, 0n)).toBe(parseMoney(asked.budget));
        for (const amount of amounts)
          expect(amount >= verdict.plan.minCents && amount <= verdict.plan.maxCents).toBe(true);
      }),
      { numRuns: 2_000 },
    );
    // The generator must meet both sides of the line.
    expect(Math.min(accepted, refused)).toBeGreaterThan(200);
  });

  test('[R12] a refused plan is not feasible, and each refusal names a field and gives a reason', () => {
    fc.assert(
      fc.property(anyPlan, (asked) => {
        const verdict = checkPlan(asked);
        const { budget, packets, split = { method: DEFAULT_METHOD.name }, min = '0.01', max = budget } = asked;
        const bounds = { budget: cents(budget), packets, min: cents(min), max: cents(max) };
        expect(verdict.ok).toBe(
          bounds.min <= bounds.max && possible({ method: 'even' }, bounds) && possible(split, bounds),
        );
        for (const { field, reason } of verdict.ok ? [] : verdict.refusals) {
          expect(field).toMatch(FIELDS);
          expect(reason.length).toBeGreaterThan(10);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test('even gives no two amounts that differ by more than a cent, within any bounds it is accepted with', () => {
    fc.assert(
      fc.property(anyPlan, fc.nat(), (asked, n) => {
        const verdict = checkPlan({ ...asked, split: { method: 'even' } });
        if (!verdict.ok) return;
        const amounts = [...splitBudget(verdict.plan, seedOf(n))].map(Number);
        expect(Math.max(...amounts) - Math.min(...amounts)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
  });
});
