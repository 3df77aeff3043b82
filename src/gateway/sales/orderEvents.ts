import { orderFrame } from '../../protocol/codec.ts';
import { reservationOrdinal } from '../../sale/ids.ts';
import { isLater } from '../../sale/order.ts';
import type { RainEvent, ToldOrder } from '../../store/events.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { parseHeld, type HeldReservation } from '../../store/sales.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { entitled } from '../rains/visibility.ts';
import { frameOf } from '../sockets/frame.ts';
import { send } from '../sockets/session.ts';
import { heldFrame } from './pendingPurchase.ts';

type OrdersEvent = Extract<RainEvent, { type: 'orders' }>;

/**
 * Tells the buyers at this gateway, over sockets and waiting requests, of the present status of their orders. Never
 * throws.
 */
export async function tellOrders({ saleId, orders }: OrdersEvent, context: HandlerContext): Promise<void> {
  const {
    hub,
    signer,
    limits,
    sales: { orderWaits },
  } = context;
  const ours = orders.filter(
    (order) =>
      (hub.of(order.userId).size > 0 || orderWaits.has(order.reservationId)) && signer.isOrderMark(order.mark, order),
  );
  if (ours.length === 0) return;
  // The bought items are read, not told by the event: the mark covers the status only.
  const held = await readHeld(context, saleId, ours);
  ours.forEach((order, i) => {
    // Overtaken by a later one, or published again by somebody else.
    if (held[i] && isLater(held[i].status, order.status)) return;
    const text = frameFor(context, saleId, order, held[i]);
    orderWaits.tell(order.reservationId, order.userId, order.status, text);
    const frame = frameOf(text);
    for (const session of entitled(hub.of(order.userId), 'sales', saleId, context.sales.cache.reading(saleId)))
      send(session, frame, limits);
  });
}

/** The status is told even if the rest cannot be read. */
async function readHeld(
  { redis, sales, onFault }: HandlerContext,
  saleId: string,
  orders: readonly ToldOrder[],
): Promise<(HeldReservation | undefined)[]> {
  try {
    const entries = await redis.hmget(saleKeys(saleId).buyers, ...orders.map(({ userId }) => userId));
    return orders.map(({ reservationId, userId }, i) =>
      parseHeld(entries[i] ?? '')?.find(
        (one) =>
          one.ordinal === reservationOrdinal(saleId, reservationId) &&
          sales.forged.isReservation(one.mac, { saleId, userId, ...one }),
      ),
    );
  } catch (error) {
    onFault(error);
    return [];
  }
}

function frameFor(
  { sales }: HandlerContext,
  saleId: string,
  { reservationId, status }: ToldOrder,
  held: HeldReservation | undefined,
): string {
  const sale = sales.cache.reading(saleId);
  return sale && held
    ? heldFrame(sale, { ...held, status })
    : orderFrame(saleId, undefined, '1', { reservationId, status });
}
