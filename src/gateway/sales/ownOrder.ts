import { confirmReservations } from '../../grab/confirmReservations.ts';
import { reservationId } from '../../sale/ids.ts';
import type { OrderStatus } from '../../sale/order.ts';
import type { HandlerContext } from '../handlers/context.ts';
import type { Identity } from '../sockets/token.ts';
import { findSaleFor } from './findSaleFor.ts';
import { ownReservations } from './ownReservations.ts';
import { heldFrame } from './pendingPurchase.ts';

/**
 * An order of this user as it may be told. `unknown`: it is none of his; `busy`: that cannot be said now.
 * @throws when Redis cannot be reached
 */
export async function ownOrder(
  context: HandlerContext,
  { userId, audience }: Pick<Identity, 'userId' | 'audience'>,
  saleId: string,
  ordinal: number,
): Promise<{ text: string; status: OrderStatus } | 'unknown' | 'busy'> {
  const { sales } = context;
  // Asked before the reading: what is put back in between may be missed.
  const unknown = sales.isRestoring(saleId) ? 'busy' : 'unknown';
  const found = await findSaleFor(sales.cache, audience, saleId);
  const sale = sales.cache.reading(saleId);
  const mine = found && sale && (await ownReservations(context, saleId, userId)).find((one) => one.ordinal === ordinal);
  if (!mine) return unknown;
  const [confirmed] = await confirmReservations(sales.confirmHeld, saleId, [
    { userId, reservationId: reservationId(saleId, ordinal) },
  ]);
  return confirmed ? { text: heldFrame(sale, mine), status: mine.status } : 'busy';
}
