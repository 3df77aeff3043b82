import type { BookedOrder } from '../ledger/orders.ts';
import { givesBack, type Refusal } from '../ledger/refusals.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { reservationOrdinal } from '../sale/ids.ts';
import { CLAIMS_MAX, publish } from '../store/events.ts';
import { follow, type StatusToFollow } from '../store/sales.ts';
import type { Signer } from '../store/signer.ts';

/** An order of the ledger; `toStock`: units that it does not hold any more can be sold again. */
type AnnouncedOrder = Pick<BookedOrder, 'id' | 'userId' | 'status'> & { toStock?: boolean };

/** Tells buyers that the ledger refuses what they have reserved. To be called when the ledger has recorded it. */
export async function announceRefused(
  redis: RedisClient,
  signer: Pick<Signer, 'orderMark'>,
  saleId: string,
  refused: readonly Pick<Refusal, 'reservationId' | 'userId' | 'reason'>[],
): Promise<void> {
  await announce(
    redis,
    signer,
    saleId,
    refused.map(({ reservationId, userId, reason }) => ({
      id: reservationId,
      userId,
      status: 'failed',
      toStock: givesBack(reason),
      keepsBooked: !givesBack(reason),
    })),
  );
  if (refused.some(({ reason }) => givesBack(reason))) await publish(redis, { type: 'sale_changed', saleId });
}

/**
 * Announces the status of orders: first in Redis, where a later `visit` reads it and units come back, then to all
 * gateways. A repetition is harmless.
 * @throws when Redis cannot be reached; then some gateways may have received it
 */
export function announceOrders(
  redis: RedisClient,
  signer: Pick<Signer, 'orderMark'>,
  saleId: string,
  orders: readonly AnnouncedOrder[],
): Promise<void> {
  return announce(redis, signer, saleId, orders);
}

async function announce(
  redis: RedisClient,
  signer: Pick<Signer, 'orderMark'>,
  saleId: string,
  orders: readonly (AnnouncedOrder & Pick<StatusToFollow, 'keepsBooked'>)[],
): Promise<void> {
  for (let at = 0; at < orders.length; at += CLAIMS_MAX) {
    const batch = orders.slice(at, at + CLAIMS_MAX);
    const answers = await follow(
      redis,
      saleId,
      batch.map(({ id, userId, status, toStock = false, keepsBooked = false }) => ({
        userId,
        ordinal: reservationOrdinal(saleId, id)!,
        status,
        toStock,
        keepsBooked,
      })),
    );
    // An order may have been paid or ended since it was read; that was told already.
    const current = batch.filter((_, i) => answers?.[i] !== 'later');
    const told = current.map(({ id, userId, status }) => ({
      reservationId: id,
      userId,
      status,
      mark: signer.orderMark({ reservationId: id, userId, status }),
    }));
    if (told.length > 0) await publish(redis, { type: 'orders', saleId, orders: told });
  }
}
