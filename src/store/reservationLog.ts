import type { RedisClient } from '../platform/redis/connect.ts';
import { parseReservation, type Reservation } from '../sale/reservation.ts';
import { reservationOrdinal } from '../sale/ids.ts';
import { readLog } from './rains.ts';
import { saleKeys } from './saleKeys.ts';

/** One entry of the reservation log with its place, which counts from the oldest, 0. */
export type LoggedReservation = { index: number; entry: string } & (
  | { ok: true; reservation: Reservation; ordinal: number }
  | { ok: false; reason: string }
);

function read(saleId: string, index: number, entry: string): LoggedReservation {
  const parsed = parseReservation(entry);
  if (!parsed.ok) return { index, entry, ...parsed };
  const { reservation } = parsed;
  const ordinal = reservationOrdinal(saleId, reservation.reservationId);
  if (reservation.saleId === saleId && ordinal !== undefined) return { index, entry, ok: true, reservation, ordinal };
  return { index, entry, ok: false, reason: `it is ${reservation.reservationId} of the sale ${reservation.saleId}` };
}

/** The reservation log of a sale, oldest first. @param length entries to read */
export async function* reservationPages(
  redis: RedisClient,
  saleId: string,
  length: number,
  page: number,
): AsyncGenerator<LoggedReservation[]> {
  for (let from = 0; from < length; from += page) {
    const to = Math.min(from + page, length);
    yield (await readLog(redis, saleKeys(saleId).reservations, from, to)).map((entry, i) =>
      read(saleId, from + i, entry),
    );
  }
}
