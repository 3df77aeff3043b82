import { confirmReservations } from '../../grab/confirmReservations.ts';
import { encode, orderFrame } from '../../protocol/codec.ts';
import type { VisitMessage } from '../../protocol/saleMessages.ts';
import { reservationId } from '../../sale/ids.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { NO_WINNERS_BEFORE_MS } from '../handlers/limits.ts';
import { refuseToWatch, watchesTooMany } from '../handlers/watchLimit.ts';
import { isFresh } from '../rains/snapshotCache.ts';
import { send, type Session } from '../sockets/session.ts';
import { findSaleFor } from './findSaleFor.ts';
import { ownReservations } from './ownReservations.ts';
import { heldFrame } from './pendingPurchase.ts';
import type { CachedSale } from './saleCache.ts';
import { saleName } from './saleName.ts';

/**
 * Answers with the sale's snapshot; then with a ticket or a challenge, if required; then with the user's own orders,
 * the oldest first.
 */
export function visit(context: HandlerContext, session: Session, { saleId, ticket }: VisitMessage): void {
  const { overload, counters, limits } = context;
  if (overload.killSwitches.off.joins) {
    // A visit costs Redis more than a purchase.
    counters.refused.switch_joins++;
    return send(
      session,
      orderFrame(saleId, undefined, '-7', { retryInMs: Math.ceil(limits.overloadMs * (1 + Math.random())) }),
      limits,
    );
  }
  if (watchesTooMany(context, session, saleName(saleId))) return refuseToWatch(context, session);
  void answerVisit(context, session, saleId, ticket);
}

export function busy({ overload, limits }: HandlerContext, session: Session, saleId: string): void {
  send(session, orderFrame(saleId, undefined, '-7', { retryInMs: overload.admission.retryInMs() }), limits);
}

async function answerVisit(
  context: HandlerContext,
  session: Session,
  saleId: string,
  ticket: string | undefined,
): Promise<void> {
  const {
    sales: { cache, isRestoring },
    limits,
    hub,
    challenges,
  } = context;
  try {
    // Asked before the reading: what is put back in between may be missed.
    const mayBeLost = isRestoring(saleId);
    const snapshot = await findSaleFor(cache, session.audience, saleId);
    const sale = cache.reading(saleId);
    if (!snapshot || !sale)
      return mayBeLost ? busy(context, session, saleId) : send(session, orderFrame(saleId, undefined, '-8'), limits);
    // Check again: several visits may have passed the first check before any of them was counted.
    if (watchesTooMany(context, session, saleName(saleId))) return refuseToWatch(context, session);
    // Watch before reading the orders: an event in between is then sent, not lost.
    if (session.socket.readyState === session.socket.OPEN) hub.watch(session, saleName(saleId));
    send(session, encode(snapshot), limits);
    const issued = await challenges.issueAfterJoin(
      session,
      { name: saleName(saleId), address: session.address.name, shown: ticket },
      snapshot,
    );
    if (issued) send(session, issued === 'later' ? orderFrame(saleId, undefined, '-7') : encode(issued), limits);
    await sendOwnOrders(context, session, sale, mayBeLost);
  } catch (error) {
    context.onFault(error);
    busy(context, session, saleId);
  }
}

/** Orders that cannot be told now come with another visit, which the client asks for. Never throws. */
export async function tellOwnOrders(context: HandlerContext, session: Session, sale: CachedSale): Promise<void> {
  try {
    await sendOwnOrders(context, session, sale);
  } catch (error) {
    context.onFault(error);
    busy(context, session, sale.saleId);
  }
}

/** @param mayLack Redis may have lost some that are put back now: the client asks again */
async function sendOwnOrders(
  context: HandlerContext,
  session: Session,
  sale: CachedSale,
  mayLack = false,
): Promise<void> {
  const { sales, limits } = context;
  if (sale.made === 0 && sales.cache.now() < sale.opensAt - NO_WINNERS_BEFORE_MS && isFresh(sale)) return;
  const { saleId } = sale;
  const { userId } = session;
  const held = await ownReservations(context, saleId, userId);
  const confirmed = await confirmReservations(
    sales.confirmHeld,
    saleId,
    held.map(({ ordinal }) => ({ userId, reservationId: reservationId(saleId, ordinal) })),
  );
  held.forEach((one, i) => {
    if (confirmed[i]) send(session, heldFrame(sale, one), limits);
  });
  if (mayLack || confirmed.includes(false)) busy(context, session, saleId);
}
