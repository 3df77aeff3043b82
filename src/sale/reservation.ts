import { z } from 'zod';
import { matching, userId } from '../rain/ids.ts';
import { readJson } from '../rain/json.ts';
import { firstRefusal, formatRefusal } from '../rain/refusal.ts';
import { purchaseRef, reservationIdText, saleId, sku } from './ids.ts';
import { price } from './item.ts';
import { quantity } from './units.ts';

/** Redis's clock as a string: cjson would change a long number. */
const moment = matching(/^\d{13}$/, 'expected epoch milliseconds');

/**
 * The record of a reservation. Written by `lua/reserve.lua`, it passes unchanged through the log, the relay and the job
 * to the order.
 */
const reservation = z.object({
  saleId,
  reservationId: reservationIdText,
  userId,
  sku,
  quantity,
  price,
  /** Absent where the buyer gave none. */
  ref: purchaseRef.optional(),
  at: moment,
  /** Until then the buyer may pay. */
  payBy: moment,
  /**
   * The gateway's signature of the purchase, see `Signer.reservationMac`. Absent where nobody has signed it: no order
   * follows from it.
   */
  mac: z.string().optional(),
});
export type Reservation = z.infer<typeof reservation>;

type ParsedReservation = { ok: true; reservation: Reservation } | { ok: false; reason: string };

/** Parses one entry of the reservation log: a reservation, or the reason why it is not one. Never throws. */
export function parseReservation(entry: string): ParsedReservation {
  const value = readJson(entry);
  if (value === undefined) return { ok: false, reason: 'not JSON' };
  const parsed = reservation.safeParse(value);
  return parsed.success
    ? { ok: true, reservation: parsed.data }
    : { ok: false, reason: formatRefusal(firstRefusal(parsed.error, 'reservation')) };
}
