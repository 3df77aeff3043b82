import { z } from 'zod';
import type { Cents } from './money.ts';

export const PACKETS_MAX = 5_000_000;
/** A tier is read by people and checked one by one. */
const TIERS_MAX = 100;

/** Longer than any amount; what is in it is judged by `checkPlan`, which can answer with figures. */
const amountText = z.string('expected an amount as text, such as "12.21"').max(32, 'expected an amount such as "12.21"');

const tier = z.strictObject({
  count: z.int('expected a whole number of packets').min(1, 'expected at least 1 packet'),
  amount: amountText,
});

export const split = z.discriminatedUnion('method', [
  /** All alike; when cents are left over, some packets hold one more, and chance says which. */
  z.strictObject({ method: z.literal('even') }),
  /** 二倍均值法: each draw is uniform up to twice the mean of what remains. */
  z.strictObject({ method: z.literal('double-mean') }),
  /** Fixed prizes first, e.g. 1 × 888.00 and 10 × 88.80; the rest double-mean. */
  z.strictObject({
    method: z.literal('tiers'),
    tiers: z.array(tier).min(1, 'expected at least one tier').max(TIERS_MAX, `expected at most ${TIERS_MAX} tiers`),
  }),
], 'expected the method even, double-mean or tiers');

/** What an operator asks for. Amounts are decimal strings; `max` defaults to the budget. Whether it can be done: `checkPlan`. */
export const rainPlan = z.strictObject({
  budget: amountText,
  packets: z.number('expected a number of packets'),
  split: split.default({ method: 'double-mean' }),
  min: amountText.default('0.01'),
  max: amountText.optional(),
}, { error: (issue) => (issue.code === 'invalid_type' ? 'expected an object with budget and packets' : undefined) });
export type RainPlan = z.input<typeof rainPlan>;

export interface CheckedTier {
  count: number;
  cents: Cents;
}

export type CheckedSplit = { method: 'even' } | { method: 'double-mean' } | { method: 'tiers'; tiers: CheckedTier[] };

/** A plan that can be carried out to the cent; only `checkPlan` makes one. */
export interface CheckedPlan {
  budgetCents: Cents;
  packets: number;
  minCents: Cents;
  maxCents: Cents;
  split: CheckedSplit;
}
