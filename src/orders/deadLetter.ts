import { z } from 'zod';
import { letterIdIn } from '../credit/deadLetter.ts';
import { saleId } from '../sale/ids.ts';

/** Why a reservation was given up, for the operator who has to resolve it. */
export const ORDER_DEAD_REASONS = {
  malformed: 'The entry of the reservation log is not a reservation.',
  wrong_sale: 'The reservation belongs to another sale than its log.',
  not_signed:
    'The reservation is not signed with SIGNING_SECRET: no gateway has made it. Nothing was written. Find out who wrote it to Redis, then discard it.',
  not_reserved:
    'Redis does not have this reservation of this buyer; see `detail`. Nothing was written. Find out who wrote it to the log, then discard it.',
  not_in_sale:
    'The sale does not have this item at this price in this quantity, was not open, has no units left for it, or the buyer may not hold so many or is excluded from the campaign; see `detail`. No order was written, and the buyer hears that it has failed. Find out who has changed Redis, then discard it.',
  differs: 'The ledger has another order with this id, or the buyer has another order with this ref; see `detail`.',
  failed:
    'The order service refuses the order; see `detail`. The order has ended, and its units are sold again: discard it.',
  refused_after_payment:
    "The order service refuses the order, and the shop has reported its payment before; see `detail`. The order stays paid, and its units are the buyer's. Find out which is true at the shop: let it deliver, or pay the buyer back and refund the order; then discard it.",
  unavailable:
    'The order service has not confirmed the order in time; see `detail`. It may have it, and its answers were lost: send the reservation again.',
  paid_after_release:
    'The shop reports a payment for an order whose units were sold again; see `detail`. Pay the buyer back at the shop, then discard it.',
} as const;
export type OrderDeadReason = keyof typeof ORDER_DEAD_REASONS;

/**
 * The order has ended or is paid, and then it is written and posted no more: sending its reservation again changes
 * nothing.
 */
export const FINAL_REASONS: ReadonlySet<OrderDeadReason> = new Set([
  'failed',
  'refused_after_payment',
  'paid_after_release',
]);

/** One reservation that cannot become an order, or not stay one; complete. */
export const orderLetter = z.object({
  saleId,
  /** Its position in the reservation log; the oldest entry is 0. */
  index: z.int().min(0),
  entry: z.string(),
  reason: z.enum(Object.keys(ORDER_DEAD_REASONS) as [OrderDeadReason, ...OrderDeadReason[]]),
  detail: z.string(),
});
export type OrderLetter = z.infer<typeof orderLetter>;

/** One entry of a reservation log and its position. */
export type ReservationEntry = Pick<OrderLetter, 'saleId' | 'index' | 'entry'>;

/** A late payment is a letter of its own: the operator must see it even when the reservation was discarded before. */
export function idOfOrderLetter(letter: OrderLetter): string {
  return letter.reason === 'paid_after_release' ? `${orderLetterId(letter)}-paid` : orderLetterId(letter);
}

/** The same entry at the same position is one letter, however often its job is repeated. */
export function orderLetterId({ saleId: log, ...logged }: ReservationEntry): string {
  return letterIdIn(log, logged);
}
