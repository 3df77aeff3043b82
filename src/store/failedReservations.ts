import { z } from 'zod';
import { reservationOrdinal } from '../sale/ids.ts';
import type { Reservation } from '../sale/reservation.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

/** Per call of failed.lua. */
const FAILED_MAX = 128;

const reply = z.array(z.literal([0, 1])).nullable();

/**
 * Writes down with their buyers reservations that the ledger has refused and that Redis has lost, see lua/failed.lua.
 * Safe to repeat.
 */
export async function recordFailed(
  redis: RedisClient,
  signer: Pick<Signer, 'reservationMac'>,
  saleId: string,
  failed: readonly Omit<Reservation, 'mac'>[],
): Promise<void> {
  const { state, buyers } = saleKeys(saleId);
  for (let at = 0; at < failed.length; at += FAILED_MAX) {
    const args = failed
      .slice(at, at + FAILED_MAX)
      .flatMap(({ reservationId, userId, sku, quantity, ref, payBy }) => [
        userId,
        reservationOrdinal(saleId, reservationId)!,
        `${sku}:${quantity}`,
        `${payBy}:${signer.reservationMac({ saleId, userId, sku, quantity, ref })}:${ref ?? ''}`,
      ]);
    reply.parse(await run(redis, 'failed', [state, buyers], args));
  }
}
