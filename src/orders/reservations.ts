import { firstIdsOf, type Logged, type Lost } from '../credit/logEntries.ts';
import { reservationOrdinal } from '../sale/ids.ts';
import { parseReservation, type Reservation } from '../sale/reservation.ts';
import type { OrderStatus } from '../sale/order.ts';
import type { heldByAll, HeldReservation } from '../store/sales.ts';
import type { Signer } from '../store/signer.ts';
import type { OrderDeadReason } from './deadLetter.ts';
import type { OrderJob } from './job.ts';

/** A reservation and its position in the reservation log. */
export interface LoggedReservation extends Logged {
  reservation: Reservation;
}

/** A reservation that Redis has, with the status that it has there. */
export interface HeldEntry extends LoggedReservation {
  known: OrderStatus;
}

export type LostReservation = Lost<OrderDeadReason>;

/** Parses the entries of a job: each becomes either a reservation or a lost entry. */
export function parseReservations({ saleId, from, entries }: Pick<OrderJob, 'saleId' | 'from' | 'entries'>): {
  reservations: LoggedReservation[];
  lost: LostReservation[];
} {
  const parsed: ReturnType<typeof parseReservations> = { reservations: [], lost: [] };
  entries.forEach((entry, i) => {
    const index = from + i;
    const found = parseReservation(entry);
    if (!found.ok) return parsed.lost.push({ index, entry, reason: 'malformed', detail: found.reason });
    const { reservation } = found;
    if (reservation.saleId !== saleId)
      return parsed.lost.push({
        index,
        entry,
        reason: 'wrong_sale',
        detail: `the reservation is of sale ${reservation.saleId}`,
      });
    return parsed.reservations.push({ index, entry, reservation });
  });
  return parsed;
}

/**
 * Parts the reservations that a gateway has signed from those that somebody else has written: who can write to Redis
 * does not have the key.
 */
export function partUnsigned(
  reservations: readonly LoggedReservation[],
  signer: Pick<Signer, 'isReservation'>,
): { signed: LoggedReservation[]; unsigned: LoggedReservation[] } {
  const parted: ReturnType<typeof partUnsigned> = { signed: [], unsigned: [] };
  for (const one of reservations)
    parted[signer.isReservation(one.reservation.mac, one.reservation) ? 'signed' : 'unsigned'].push(one);
  return parted;
}

/**
 * Keeps the reservations that Redis has for their buyers: who can append to the log has not reserved anything. The
 * price is not there; the database knows it.
 */
export function compareWithHeld(
  reservations: readonly LoggedReservation[],
  held: NonNullable<Awaited<ReturnType<typeof heldByAll>>>,
): { reserved: HeldEntry[]; lost: LostReservation[] } {
  const compared: ReturnType<typeof compareWithHeld> = { reserved: [], lost: [] };
  for (const one of reservations) {
    const found = findHeld(one.reservation, held.get(one.reservation.userId));
    if ('detail' in found)
      compared.lost.push({ index: one.index, entry: one.entry, reason: 'not_reserved', detail: found.detail });
    else compared.reserved.push({ ...one, known: found.status });
  }
  return compared;
}

function findHeld(
  { saleId, reservationId, sku, quantity, payBy, ref }: Reservation,
  held: readonly HeldReservation[] | undefined,
): HeldReservation | { detail: string } {
  if (!held) return { detail: 'what Redis has of this buyer cannot be read' };
  const ordinal = reservationOrdinal(saleId, reservationId);
  const found = held.find((one) => one.ordinal === ordinal);
  if (!found) return { detail: `Redis has no reservation ${reservationId} of this buyer` };
  const same = found.sku === sku && found.quantity === quantity && found.payBy === Number(payBy) && found.ref === ref;
  return same ? found : { detail: `in Redis: ${JSON.stringify(found)}` };
}

export function reservationIdsOf(entries: readonly string[]): string[] {
  return firstIdsOf(entries, (entry) => {
    const found = parseReservation(entry);
    return found.ok ? found.reservation.reservationId : undefined;
  });
}
