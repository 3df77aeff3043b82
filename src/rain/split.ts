import { randomSource, shuffle } from './fairness.ts';
import { formatMoney } from './money.ts';
import type { CheckedPlan } from './plan.ts';
import { methodNamed } from './split/methods.ts';

/**
 * Splits the budget into packets: amounts in cents, in the order in which they are handed out. The same plan and seed
 * give the same array everywhere.
 * @throws Error when the amounts do not sum to the budget, which would be an error of the method [R3]
 */
export function splitBudget(plan: CheckedPlan, seed: string): BigInt64Array {
  const amounts = new BigInt64Array(plan.packets);
  methodNamed(plan.split.method).fill(amounts, plan, randomSource(seed, 'amounts'), plan.split.rows);
  // Late draws of double-mean vary more than early ones, and tiers come first: being early or late must not pay [R3].
  shuffle(amounts, randomSource(seed, 'order'));
  assertBalanced(amounts, plan);
  return amounts;
}

function assertBalanced(amounts: BigInt64Array, { budgetCents, packets, minCents, maxCents }: CheckedPlan): void {
  let sum = 0n;
  for (const amount of amounts) {
    if (amount < minCents || amount > maxCents) {
      throw new Error(
        `a packet of ${formatMoney(amount)} is outside ${formatMoney(minCents)} to ${formatMoney(maxCents)}`,
      );
    }
    sum += amount;
  }
  if (sum !== budgetCents || amounts.length !== packets) {
    throw new Error(
      `${amounts.length} packets hold ${formatMoney(sum)}, expected ${packets} with ${formatMoney(budgetCents)}`,
    );
  }
}
