import { encode, fieldError, orderFrame } from '../../protocol/codec.ts';
import type { CancelMessage } from '../../protocol/saleMessages.ts';
import { reservationOrdinal } from '../../sale/ids.ts';
import { wishToCancel } from '../../store/cancelWish.ts';
import type { HandlerContext } from '../handlers/context.ts';
import { send, type Session } from '../sockets/session.ts';
import type { LimitName } from '../telemetry/counters.ts';
import { findSaleFor } from './findSaleFor.ts';
import { ownReservations } from './ownReservations.ts';
import { heldFrame } from './pendingPurchase.ts';
import { busy } from './visit.ts';

/**
 * Writes the wish down for a worker, and answers with the present status: the ledger decides, and its answer follows as
 * an `order`.
 */
export function cancel(context: HandlerContext, session: Session, message: CancelMessage): void {
  const {
    limits,
    sales: { pendingCancels },
    overload: { killSwitches },
  } = context;
  const ordinal = reservationOrdinal(message.saleId, message.reservationId);
  if (ordinal === undefined) return refuseUnknown(context, session);
  if (killSwitches.off.joins) return refuseBusy(context, session, message, 'switch_joins');
  if (pendingCancels.count >= limits.cancelsPendingMax) return refuseBusy(context, session, message, 'cancels');
  pendingCancels.count++;
  void answerCancel(context, session, message, ordinal)
    .catch((error: unknown) => {
      context.onFault(error);
      busy(context, session, message.saleId);
    })
    .finally(() => {
      pendingCancels.count--;
    });
}

async function answerCancel(
  context: HandlerContext,
  session: Session,
  message: CancelMessage,
  ordinal: number,
): Promise<void> {
  const {
    redis,
    signer,
    limits,
    sales: { cache, isRestoring },
  } = context;
  const { saleId } = message;
  // Asked before the reading: what is put back in between may be missed.
  const mayBeLost = isRestoring(saleId);
  const found = await findSaleFor(cache, session.audience, saleId);
  const sale = cache.reading(saleId);
  if (!found || !sale)
    return mayBeLost ? busy(context, session, saleId) : send(session, orderFrame(saleId, undefined, '-8'), limits);
  const [status, held] = await Promise.all([
    wishToCancel(redis, signer, saleId, session.userId, ordinal),
    ownReservations(context, saleId, session.userId),
  ]);
  const mine = held.find((one) => one.ordinal === ordinal);
  if (!status || !mine) return mayBeLost ? busy(context, session, saleId) : refuseUnknown(context, session);
  if (status === 'full') return refuseBusy(context, session, message, 'cancels');
  send(session, heldFrame(sale, { ...mine, status }), limits);
}

function refuseUnknown({ limits }: HandlerContext, session: Session): void {
  send(
    session,
    encode(fieldError({ field: 'reservationId', reason: 'expected the id of a reservation of yours in this sale' })),
    limits,
  );
}

function refuseBusy(context: HandlerContext, session: Session, { saleId }: CancelMessage, limit: LimitName): void {
  context.counters.refused[limit]++;
  busy(context, session, saleId);
}
