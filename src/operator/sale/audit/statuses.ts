import type { BookedOrder } from '../../../ledger/orders.ts';
import { givesBack, type Refusal } from '../../../ledger/refusals.ts';
import type { BookedSale } from '../../../ledger/sales.ts';
import { iso } from '../../../rain/figures.ts';
import { ORDER_STEPS, type OrderStatus } from '../../../sale/order.ts';
import type { Reservation } from '../../../sale/reservation.ts';
import type { HeldReservation } from '../../../store/sales.ts';
import type { SaleFindings } from './findings.ts';
import type { Logged, SaleLog, Untrue } from './saleLog.ts';

/** The ledger's decision about a reservation. */
interface Decided {
  order: BookedOrder | undefined;
  refusal: Refusal | undefined;
}

/** Adds a genuine reservation to what the log says, with what became of it. */
export function followReservation(
  one: Logged,
  held: HeldReservation,
  decided: Decided,
  sale: Pick<BookedSale, 'holdMs'>,
  log: SaleLog,
  findings: SaleFindings,
): void {
  const { reservation, ordinal } = one;
  const { reservationId: id, userId, sku, quantity } = reservation;
  const { order, refusal } = decided;
  const payBy = Number(reservation.at) + sale.holdMs;
  const told = compareTold(reservation, held, decided, payBy, findings);
  if (told) log.untrue.push({ userId, ordinal, found: held, ...told });
  if (refusal) {
    log.refused++;
    if (refusal.reason === 'limit') log.beyond.push({ one, refusal });
    if (held.status === 'reserved') log.untold.set(`${id} ${userId}`, refusal);
    if (order && order.userId !== userId) {
      // The units that are booked under this number are those of the order.
      log.redrawn++;
      log.units.set(order.sku, (log.units.get(order.sku) ?? 0) + order.quantity);
    } else if (held.status !== 'failed' || !givesBack(refusal.reason))
      log.kept.set(sku, (log.kept.get(sku) ?? 0) + quantity);
    return;
  }
  log.units.set(sku, (log.units.get(sku) ?? 0) + quantity);
  if (!order) return void log.waiting.push(one);
  compareOrder(reservation, order, payBy, findings);
  if (isBehind(held.status, order.status)) log.behind.add(order.id);
}

/**
 * Redis was read before the ledger and follows it: it knows nothing that the ledger does not.
 * @returns the status that it should tell instead
 */
function compareTold(
  { reservationId: id, userId }: Reservation,
  held: HeldReservation,
  { order, refusal }: Decided,
  payBy: number,
  findings: SaleFindings,
): Pick<Untrue, 'key' | 'right'> | undefined {
  const own = order?.userId === userId ? order : undefined;
  const has = refusal ? 'failed' : (own?.status ?? 'reserved');
  if (isAhead(held.status, has, own !== undefined)) {
    findings.note(
      `ahead ${id}`,
      `Redis would tell ${userId} that ${id} is ${held.status}; ${refusal ? 'the ledger has refused it' : own ? `its order is ${own.status}` : 'it has no order'}`,
      'status',
    );
    return { key: `ahead ${id}`, right: { status: has, payBy } };
  }
  if (held.payBy === payBy) return undefined;
  findings.note(
    `deadline ${id}`,
    `Redis would tell ${userId} to pay ${id} by ${iso(held.payBy)}; the sale gives until ${iso(payBy)}`,
    'reservation_time',
  );
  return { key: `deadline ${id}`, right: { status: held.status, payBy } };
}

/** Whether Redis tells a status that its order does not have, or not yet. */
export function isAhead(told: OrderStatus, has: OrderStatus, hasOrder: boolean): boolean {
  if (told === 'reserved' || told === has) return false;
  if (told === 'created') return !hasOrder;
  return told !== 'paid' || has !== 'refunded';
}

function compareOrder(
  { reservationId, userId, sku, quantity, price, at }: Reservation,
  order: BookedOrder,
  payBy: number,
  findings: SaleFindings,
): void {
  if (order.userId !== userId || order.sku !== sku || order.quantity !== quantity || order.price !== price) {
    findings.note(
      `differs ${reservationId}`,
      `${reservationId} is ${quantity} ${sku} at ${price} for ${userId} in the log; its order is ${order.quantity} ${order.sku} at ${order.price} for ${order.userId}`,
    );
  } else if (order.payBy !== payBy) {
    findings.note(
      `due ${reservationId}`,
      `${reservationId} was reserved at ${iso(Number(at))} in the log, to be paid by ${iso(payBy)}; its order was at ${iso(order.reservedAt)}, to be paid by ${iso(order.payBy)}`,
      'reservation_time',
    );
  }
}

/**
 * Whether Redis has not followed this order. That an order is created is announced when its reservation is sent again,
 * and changes no count.
 */
export function isBehind(known: OrderStatus, booked: BookedOrder['status']): boolean {
  if (known === booked || booked === 'created') return false;
  return known === 'reserved' || known === 'created' || (ORDER_STEPS[booked] as readonly OrderStatus[]).includes(known);
}
