import { randomSource, shuffle, type RandomSource } from './fairness.ts';
import { formatMoney, type Cents } from './money.ts';
import type { CheckedPlan } from './plan.ts';

/**
 * The budget as packets: amounts in cents, in the order in which they will be handed out. The same plan and seed give
 * the same array, on any machine and in the browser.
 *
 * @param seed 64 hex digits, recorded with the rain and secret until it is settled
 * @throws Error when the amounts do not add up to the budget, which would be a fault of this file [R3]
 */
export function splitBudget(plan: CheckedPlan, seed: string): BigInt64Array {
  const amounts = new BigInt64Array(plan.packets);
  fill(amounts, plan, randomSource(seed, 'amounts'));
  // Double-mean spreads its late draws wider than its early ones, and tiers come first: without the shuffle it would
  // pay to be early, or late [R3].
  shuffle(amounts, randomSource(seed, 'order'));
  assertAddsUp(amounts, plan);
  return amounts;
}

function fill(amounts: BigInt64Array, plan: CheckedPlan, random: RandomSource): void {
  switch (plan.split.method) {
    case 'even':
      return fillEven(amounts, plan.budgetCents);
    case 'double-mean':
      return fillDoubleMean(amounts, plan.budgetCents, plan, random);
    case 'tiers': {
      let at = 0;
      let left = plan.budgetCents;
      for (const { count, cents } of plan.split.tiers) {
        amounts.fill(cents, at, at + count);
        at += count;
        left -= BigInt(count) * cents;
      }
      return fillDoubleMean(amounts.subarray(at), left, plan, random);
    }
    default:
      return plan.split satisfies never;
  }
}

function fillEven(amounts: BigInt64Array, budget: Cents): void {
  const packets = BigInt(amounts.length);
  const each = budget / packets;
  amounts.fill(each);
  amounts.fill(each + 1n, 0, Number(budget % packets));
}

/**
 * 二倍均值法: each draw is uniform in [min, 2 × mean − min] of what remains, narrowed to what leaves a feasible rest:
 * neither less than min nor more than max for each packet still to come. The range is never empty, because the mean of
 * what remains, rounded down, always lies in it. A max below twice the mean shows: early draws fall short of the mean,
 * so the later ones crowd at max.
 */
function fillDoubleMean(amounts: BigInt64Array, budget: Cents, { minCents, maxCents }: CheckedPlan, random: RandomSource): void {
  let left = budget;
  for (let i = 0; i < amounts.length; i++) {
    const packetsLeft = BigInt(amounts.length - i);
    const lowest = max(minCents, left - (packetsLeft - 1n) * maxCents);
    const highest = min((2n * left) / packetsLeft - minCents, min(maxCents, left - (packetsLeft - 1n) * minCents));
    const drawn = lowest + random.below(highest - lowest + 1n);
    amounts[i] = drawn;
    left -= drawn;
  }
}

function assertAddsUp(amounts: BigInt64Array, { budgetCents, packets, minCents, maxCents }: CheckedPlan): void {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount < minCents || amount > maxCents) {
      throw new Error(`a packet of ${formatMoney(amount)} is outside ${formatMoney(minCents)} to ${formatMoney(maxCents)}`);
    }
    sum += amount;
  }
  if (sum !== budgetCents || amounts.length !== packets) {
    throw new Error(`${amounts.length} packets hold ${formatMoney(sum)}, planned were ${packets} with ${formatMoney(budgetCents)}`);
  }
}

function min(a: Cents, b: Cents): Cents {
  return a < b ? a : b;
}

function max(a: Cents, b: Cents): Cents {
  return a > b ? a : b;
}
