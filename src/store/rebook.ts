import { z } from 'zod';
import { reservationOrdinal } from '../sale/ids.ts';
import type { Reservation } from '../sale/reservation.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

/** Reservations per call of rebook.lua. */
export const REBOOK_MAX = 128;

const reply = z
  .array(z.int().transform((number) => (number === 1 ? 'put_back' : number === 0 ? 'there' : 'taken')))
  .nullable();

/**
 * Puts reservations back that Redis has lost, signed anew; see lua/rebook.lua. Safe to repeat.
 * @param reservations at most REBOOK_MAX, in order of their numbers.
 * @returns one word each, in order; null: no such sale
 */
export async function rebook(
  redis: RedisClient,
  signer: Pick<Signer, 'reservationMac'>,
  saleId: string,
  reservations: readonly Omit<Reservation, 'mac'>[],
): Promise<z.infer<typeof reply>> {
  const { state, stock, buyers, reservations: log, bought } = saleKeys(saleId);
  const args = reservations.flatMap(({ reservationId, userId, sku, quantity, price, ref, at, payBy }) => {
    const mac = signer.reservationMac({ saleId, userId, sku, quantity, ref });
    return [
      userId,
      reservationOrdinal(saleId, reservationId)!,
      sku,
      quantity,
      payBy,
      mac,
      ref ?? '',
      JSON.stringify({
        saleId,
        reservationId,
        userId,
        sku,
        quantity,
        price,
        ...(ref !== undefined && { ref }),
        at,
        payBy,
        mac,
      } satisfies Reservation),
    ];
  });
  return reply.parse(await run(redis, 'rebook', [state, stock, buyers, log, bought], args));
}
