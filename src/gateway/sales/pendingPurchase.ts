import type { ReserveAnswer } from '../../grab/reserve.ts';
import { orderFrame, type OrderDetail } from '../../protocol/codec.ts';
import type { SaleOutcomeCode } from '../../protocol/saleOutcomes.ts';
import type { BuyMessage } from '../../protocol/saleMessages.ts';
import { reservationId, reservationOrdinal } from '../../sale/ids.ts';
import type { Units } from '../../sale/units.ts';
import type { HeldReservation } from '../../store/sales.ts';
import type { Admission } from '../overload/admission.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import type { Buyer, OpenPurchase, OrderAnswer, OrderReply } from './buyer.ts';
import type { SaleReading } from './saleCache.ts';

/** A purchase in flight: who asks, and what for. */
export interface PendingPurchase extends OpenPurchase {
  readonly userId: string;
  readonly buyer: Buyer;
}

interface PurchaseAnswerContext {
  counters: Pick<GatewayCounters, 'purchases'>;
  admission: Pick<Admission, 'retryInMs'>;
}

export function openPurchase(
  buyer: Buyer,
  { saleId, sku, quantity = 1, ref }: BuyMessage,
  reply: OrderReply,
): PendingPurchase {
  return { userId: buyer.userId, buyer, saleId, sku, quantity, ref, reply, also: 0 };
}

/** Whether the message asks for the same once more. */
export function isSamePurchase(open: OpenPurchase, { saleId, sku, quantity = 1, ref }: BuyMessage): boolean {
  return open.saleId === saleId && open.sku === sku && open.quantity === quantity && open.ref === ref;
}

/** @param sale as last read, for the place in line and the next deadline */
export function answerPurchase(
  pending: PendingPurchase,
  given: ReserveAnswer,
  sale: SaleReading | undefined,
  context: PurchaseAnswerContext,
): void {
  const { buyer, reply, saleId, sku, ref, also } = pending;
  // Later purchases of this buyer start a new decision.
  if (buyer.openPurchase === pending) buyer.openPurchase = undefined;
  const isReserved = 'reservationId' in given && !isOther(given, pending);
  const code: SaleOutcomeCode = 'reservationId' in given && !isReserved ? '-16' : given.code;
  context.counters.purchases[code] += 1;
  const detail = isReserved ? reservedDetail(given, saleId, sale) : refusedDetail(code, sale, sku, context);
  const first: OrderAnswer = { saleId, ref, code, detail };
  if (also === 0) return reply.answer(first);
  const again = code === '0' ? '1' : code;
  context.counters.purchases[again] += also;
  reply.answerAll(first, again === code ? first : { ...first, code: again }, also);
}

/**
 * The ref is that of a purchase that was asked for otherwise. Without a ref a purchase is repeated, whatever is asked
 * for.
 */
function isOther(given: Reserved, { ref, sku, quantity }: PendingPurchase): boolean {
  return ref !== undefined && (given.sku !== sku || given.quantity !== quantity);
}

type Reserved = Extract<ReserveAnswer, { reservationId: string }>;

function reservedDetail(
  { reservationId: id, sku, quantity, status, payBy }: Reserved,
  saleId: string,
  sale: SaleReading | undefined,
): OrderDetail {
  return heldDetail({ ordinal: reservationOrdinal(saleId, id) ?? 0, sku, quantity, status, payBy }, id, sale);
}

/** Redis has no price in a reservation: it is the item's, and never changes. */
function heldDetail(
  { ordinal, sku, quantity, status, payBy }: Omit<HeldReservation, 'ref' | 'mac'>,
  id: string,
  sale: SaleReading | undefined,
): OrderDetail {
  // Field by field: objects that are spread cost more than all the rest of an answer.
  const detail: OrderDetail = { reservationId: id, sku, quantity, status, payBy };
  const price = sale?.bySku.get(sku)?.price;
  if (price !== undefined) detail.price = price;
  if (status === 'reserved') detail.place = placeOf(ordinal, sale?.relayed ?? 0);
  return detail;
}

/** The queue has accepted the orders of the first `relayed` reservations. */
function placeOf(ordinal: number, relayed: Units): number {
  return Math.max(1, ordinal - relayed);
}

function refusedDetail(
  code: SaleOutcomeCode,
  sale: SaleReading | undefined,
  sku: string,
  { admission }: PurchaseAnswerContext,
): OrderDetail | undefined {
  if (code === '-7') return { retryInMs: admission.retryInMs() };
  const backAt = code === '-12' ? sale?.backAt.get(sku) : undefined;
  return backAt === undefined ? undefined : { backAt };
}

/** The `order` message about a reservation that Redis has. @param sale as last read */
export function heldFrame(sale: SaleReading, held: HeldReservation): string {
  return orderFrame(sale.saleId, held.ref, '1', heldDetail(held, reservationId(sale.saleId, held.ordinal), sale));
}
