import { randomSource, shuffle } from './fairness.ts';
import { formatMoney } from './money.ts';
import type { CheckedPlan } from './plan.ts';
import { methodNamed } from './split/methods.ts';

/**
 * The budget as packets: amounts in cents, in the order in which they will be handed out. The same plan and seed give
 * the same array, on any machine and in the browser.
 *
 * @param seed 64 hex digits, recorded with the rain and secret until it is settled
 * @throws Error when the amounts do not add up to the budget, which would be a fault of the method [R3]
 */
export function splitBudget(plan: CheckedPlan, seed: string): BigInt64Array {
  const amounts = new BigInt64Array(plan.packets);
  methodNamed(plan.split.method).fill(amounts, plan, randomSource(seed, 'amounts'), plan.split.rows);
  // Double-mean spreads its late draws wider than its early ones, and tiers come first: without the shuffle it would
  // pay to be early, or late [R3].
  shuffle(amounts, randomSource(seed, 'order'));
  assertAddsUp(amounts, plan);
  return amounts;
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
