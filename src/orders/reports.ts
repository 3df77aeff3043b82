import { z } from 'zod';
import type { Ledger } from '../ledger/ledger.ts';
import { reservationOf, type BookedOrder } from '../ledger/orders.ts';
import { iso } from '../rain/figures.ts';
import { inTime } from '../platform/concurrency/deadline.ts';
import { parseReservationId, reservationIdText, reservationOrdinal } from '../sale/ids.ts';
import type { OrderStep } from '../sale/order.ts';
import type { Reservation } from '../sale/reservation.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { hasTraces, readSale } from '../store/sales.ts';
import type { Signer } from '../store/signer.ts';
import { readToldReservations } from '../store/toldReservations.ts';
import { idOfOrderLetter, type OrderLetter } from './deadLetter.ts';
import { followOrders, type FollowParts } from './followOrders.ts';

/** The statuses that a shop reports of an order. */
const REPORTED = ['paid', 'cancelled', 'refunded', 'failed'] as const satisfies readonly OrderStep[];

export const orderReport = z.object(
  {
    orderId: reservationIdText,
    status: z.enum(REPORTED, `expected ${REPORTED.join(', ')}`),
  },
  'expected a JSON object that has no name twice',
);
type OrderReport = z.infer<typeof orderReport>;

/**
 * The answer to a report. `done`: by this one. `was`: by an earlier one. `refused`: the order has another status, and
 * this one is never reached from it; `payBack`: the buyer has paid for units that were sold again. `not_yet`: the order
 * may not be written yet, or its payment not reported yet: tell it again. `never`: there is no such order, and none
 * will follow.
 */
export type ReportOutcome =
  | { outcome: 'done' | 'was'; status: BookedOrder['status'] }
  | { outcome: 'refused'; status: BookedOrder['status']; payBack: boolean }
  | { outcome: 'not_yet'; status?: BookedOrder['status'] }
  | { outcome: 'never' };

export type TakeReport = (report: OrderReport) => Promise<ReportOutcome>;

interface ReportsOptions extends Omit<FollowParts, 'onFollowed'> {
  signer: FollowParts['signer'] & Pick<Signer, 'reservationMac' | 'isReceipt'>;
  ledger: FollowParts['ledger'] &
    Pick<Ledger, 'stepOrder' | 'order' | 'unfollowedOrder' | 'discardedClaims' | 'refusalsAmong'>;
  /** Adds a dead letter once, however often it is passed in. */
  deadLetter(letter: OrderLetter): Promise<void>;
}

/**
 * Redis follows before the answer, so that the shop reads its own report; but no answer waits longer for it. The
 * follower does it then.
 */
const FOLLOW_MS_MAX = 1_000;

/**
 * Takes what a shop reports of its orders by its callbacks, in any order and any number of times: one row of the ledger
 * decides, and Redis follows it. A payment that comes too late becomes a dead letter before it is answered.
 */
export function takeReports({ redis, ledger, signer, deadLetter }: ReportsOptions): TakeReport {
  return async ({ orderId, status }) => {
    const stepped = await ledger.stepOrder(orderId, status);
    switch (stepped.outcome) {
      case 'done':
      case 'was':
        await inTime(followOne(stepped.order.saleId, orderId, status), FOLLOW_MS_MAX);
        return { outcome: stepped.outcome, status };
      case 'no_order':
        return (await isNever(orderId)) ? { outcome: 'never' } : { outcome: 'not_yet' };
      case 'refused': {
        const { order } = stepped;
        // An order is refunded only after it was paid.
        if (status === 'paid' && order.status === 'refunded') return { outcome: 'was', status: order.status };
        if (status === 'refunded' && order.status === 'created') return { outcome: 'not_yet', status: order.status };
        const payBack = status === 'paid';
        if (payBack) await addLatePayment(order);
        return { outcome: 'refused', status: order.status, payBack };
      }
      default:
        return stepped satisfies never;
    }
  };

  /** Only what the shop has reported: of any other change the follower has to tell it, too. */
  async function followOne(saleId: string, orderId: string, status: OrderReport['status']): Promise<void> {
    const order = await ledger.unfollowedOrder(orderId);
    if (order?.status === status) await followOrders({ redis, ledger, signer }, saleId, [order]);
  }

  /**
   * A settled sale has all of its orders, and Redis counts the reservations of the others. Without its count, or while
   * it is held, nothing is certain, nor where only Redis knows the sale: a later state of the ledger may come back.
   */
  async function isNever(orderId: string): Promise<boolean> {
    const id = parseReservationId(orderId);
    if (!id) return true;
    const sale = await ledger.sale(id.saleId);
    if (!sale) return !(await hasTraces(redis, id.saleId));
    const stored = sale.settledAt === undefined ? await readSale(redis, sale.id) : undefined;
    // Somebody may have lowered the one number; the log has each reservation, too.
    const isBeyond =
      stored !== undefined &&
      stored.held === undefined &&
      id.ordinal > Math.max(stored.made, await redis.llen(saleKeys(sale.id).reservations)) &&
      !(await isRemembered(sale.id, orderId));
    // Read last: it may have been written meanwhile.
    return (sale.settledAt !== undefined || isBeyond) && (await ledger.order(orderId)) === undefined;
  }

  /** Whether gateways have told it, Redis has lost it, and nobody has decided yet what becomes of it. */
  async function isRemembered(saleId: string, orderId: string): Promise<boolean> {
    const told = (await readToldReservations(redis, signer, saleId)).filter((one) => one.reservationId === orderId);
    return told.length > (await ledger.refusalsAmong(told)).length;
  }

  async function addLatePayment(order: BookedOrder): Promise<void> {
    const letter = latePayment(order, signer, Date.now());
    // An operator's decision about it stays.
    if (!(await ledger.discardedClaims([idOfOrderLetter(letter)])).has(idOfOrderLetter(letter)))
      await deadLetter(letter);
  }
}

/**
 * Made of the ledger's order alone, so that it is the same letter each time, also when Redis has forgotten the sale.
 */
export function latePayment(order: BookedOrder, signer: Pick<Signer, 'reservationMac'>, now: number): OrderLetter {
  const { id, saleId, userId, sku, quantity, ref, status, changedAt } = order;
  const mac = signer.reservationMac({ saleId, userId, sku, quantity, ref });
  return {
    saleId,
    index: reservationOrdinal(saleId, id)! - 1,
    entry: JSON.stringify({ ...reservationOf(order), mac } satisfies Reservation),
    reason: 'paid_after_release',
    detail: `${status} at ${iso(changedAt)}; the shop reported the payment at ${iso(now)}`,
  };
}
