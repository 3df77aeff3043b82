import { SALE_OUTCOMES, type SALE_OUTCOMES_IN_ORDER } from '../protocol/saleOutcomes.ts';
import type { OrderMessage } from '../protocol/saleMessages.ts';
import type { Outcome } from '../protocol/outcomes.ts';
import type { Order } from './orders.ts';

/** Answers without a reservation that end a purchase. */
type RefusedPurchase = Extract<
  (typeof SALE_OUTCOMES_IN_ORDER)[number],
  { code: `-${number}`; retry: 'no' | 'when it opens' | 'when it resumes' }
>;

/** How a purchase ended; the kinds are the reasons from the table of codes, and two of our own. */
export type BuyOutcome =
  /** The reservation was made by this purchase. Also when the first answer was lost and a later one repeats it [R6]. */
  | ({ kind: 'reserved' } & Order)
  /** This `ref` had a reservation before. */
  | ({ kind: 'already_reserved' } & Order)
  /** Nothing was reserved. `backAt`: with `all_reserved`, when the next unit may come back, epoch ms. */
  | { kind: RefusedPurchase['reason']; backAt?: number }
  /**
   * No answer within the limits of the retries. Buying again with the same `ref` is safe and returns the outcome [R6].
   */
  | { kind: 'unanswered' }
  /** A code of a newer server, without a pause for a retry. */
  | { kind: 'unknown'; code: string; reason: string };

/** How a wish to cancel ended: with the status that the order has for good, or why there is none. */
export type CancelOutcome =
  | ({ kind: Exclude<Order['status'], 'reserved' | 'created'> } & Order)
  | Exclude<BuyOutcome, { kind: 'reserved' | 'already_reserved' }>;

export function buyOutcomeOf(message: OrderMessage, order: Order | undefined, doubtful: boolean): BuyOutcome {
  if (order)
    return { kind: message.code === SALE_OUTCOMES['1'].code && !doubtful ? 'already_reserved' : 'reserved', ...order };
  return refusalOf(message);
}

export function refusalOf({
  code,
  reason,
  backAt,
}: OrderMessage): Exclude<BuyOutcome, { kind: 'reserved' | 'already_reserved' }> {
  const known = (SALE_OUTCOMES as Partial<Record<string, (typeof SALE_OUTCOMES)[keyof typeof SALE_OUTCOMES]>>)[code];
  if (!known) return { kind: 'unknown', code, reason };
  // The other codes are no refusals: reservations name their order, and the rest is retried.
  return isRefused(known) ? { kind: known.reason, ...(backAt !== undefined && { backAt }) } : { kind: 'unanswered' };
}

function isRefused(outcome: Outcome): outcome is RefusedPurchase {
  return outcome.code.startsWith('-') && outcome.retry !== 'after a pause' && outcome.retry !== 'after joining again';
}
