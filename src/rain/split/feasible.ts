import { figure } from '../figures.ts';
import { formatMoney } from '../money.ts';
import type { Refusal } from '../refusal.ts';
import type { Budget } from './method.ts';

/** Checks whether these packets within [min, max] can hold exactly this money. @param whose the name of the money in the reason */
export function shareRefusals({ budgetCents, packets, minCents, maxCents }: Budget, field: string, whose: string): Refusal[] {
  const least = BigInt(packets) * minCents;
  const most = BigInt(packets) * maxCents;
  const noun = packets === 1 ? 'packet' : 'packets';
  const refusals: Refusal[] = [];
  const refuse = (bound: string, than: string) =>
    refusals.push({ field, reason: `${figure(packets)} ${noun} of ${bound}, ${than} than ${whose} ${formatMoney(budgetCents)}` });
  if (least > budgetCents) refuse(`at least ${formatMoney(minCents)} would take ${formatMoney(least)}`, 'more');
  if (most < budgetCents) refuse(`at most ${formatMoney(maxCents)} can hold ${formatMoney(most)}`, 'less');
  return refusals;
}
