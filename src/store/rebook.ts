import { z } from 'zod';
import { reservationOrdinal } from '../sale/ids.ts';
import { STATUS_LETTERS, type OrderStatus } from '../sale/order.ts';
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
  const args = reservations.flatMap((one) => {
    const { userId, sku, quantity, payBy, mac, ref, entry, ordinal } = signedAnew(signer, one);
    return [userId, ordinal, sku, quantity, payBy, mac, ref ?? '', entry];
  });
  return reply.parse(await run(redis, 'rebook', [state, stock, buyers, log, bought], args));
}

/** The reservation with a new signature, its number, and its entry of the log. */
function signedAnew(signer: Pick<Signer, 'reservationMac'>, reservation: Omit<Reservation, 'mac'>) {
  const one = { ...reservation, mac: signer.reservationMac(reservation) } satisfies Reservation;
  return { ...one, ordinal: reservationOrdinal(one.saleId, one.reservationId)!, entry: JSON.stringify(one) };
}

/** An order of the ledger, as its reservation was, and its status. */
export type OrderToWrite = Omit<Reservation, 'mac'> & { status: Exclude<OrderStatus, 'reserved'> };

/**
 * Writes orders into a sale that Redis has lost and that nobody can buy in yet; see lua/saleback.lua. Safe to repeat.
 * @param orders in order of their numbers
 * @returns how many were written now; undefined: the sale is sold, is over, or is gone
 */
export async function writeOrdersBack(
  redis: RedisClient,
  signer: Pick<Signer, 'reservationMac'>,
  saleId: string,
  orders: readonly OrderToWrite[],
): Promise<number | undefined> {
  const { state, stock, buyers, reservations: log } = saleKeys(saleId);
  let written = 0;
  for (let at = 0; at < orders.length; at += REBOOK_MAX) {
    const args = orders.slice(at, at + REBOOK_MAX).flatMap(({ status, ...plain }) => {
      const { userId, ordinal, sku, quantity, payBy, mac, ref, entry } = signedAnew(signer, plain);
      return [userId, ordinal, sku, quantity, STATUS_LETTERS[status], `${payBy}:${mac}:${ref ?? ''}`, entry];
    });
    const done = z
      .int()
      .nullable()
      .parse(await run(redis, 'saleback', [state, stock, buyers, log], args));
    if (done === null || done < 0) return undefined;
    written += done;
  }
  return written;
}
