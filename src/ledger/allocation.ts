import { joined } from '../rain/commitment.ts';
import { checkPlan } from '../rain/plan-check.ts';
import { formatRefusal } from '../rain/refusal.ts';
import { splitBudget } from '../rain/split.ts';
import type { BookedRain } from './rains.ts';

/** The packets of a rain as its recorded plan and seed give them, then those of each top-up; cents. */
export function allocationOf(rain: Pick<BookedRain, 'split' | 'seed' | 'topUps'>): BigInt64Array {
  return joined([rain, ...rain.topUps].map(({ split, seed }) => {
    const checked = checkPlan(split);
    // Checked when it was booked: a plan that no longer passes has been tampered with.
    if (!checked.ok) throw new Error(`the booked plan is not valid: ${checked.refusals.map(formatRefusal).join('; ')}`);
    return splitBudget(checked.plan, seed);
  }));
}
