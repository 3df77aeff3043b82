import { announceRefused } from '../../orders/announce.ts';
import { reservationOrdinal } from '../../sale/ids.ts';
import type { Reservation } from '../../sale/reservation.ts';
import { recordFailed } from '../../store/failedReservations.ts';
import { REBOOK_MAX, rebook } from '../../store/rebook.ts';
import { hasRefElsewhere, heldByAll } from '../../store/sales.ts';
import { readToldReservations } from '../../store/toldReservations.ts';
import type { OperatorContext } from '../context.ts';

const DETAIL =
  'Redis has lost it, and somebody else has its number or its units by now, or the buyer has its ref under another number';

const nameOf = ({ reservationId, userId }: Pick<Reservation, 'reservationId' | 'userId'>) =>
  `${reservationId} ${userId}`;

/**
 * Reservations that gateways have told their buyers, and of which Redis has nothing and the ledger no order; in order
 * of their numbers. One that the ledger has refused is among them as long as its buyer could not hear of that by a
 * visit.
 */
export async function findLostReservations(
  { redis, ledger, signer }: Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>,
  saleId: string,
): Promise<Reservation[]> {
  const ordinalOf = ({ reservationId }: Reservation) => reservationOrdinal(saleId, reservationId) ?? 0;
  const told = (await readToldReservations(redis, signer, saleId)).toSorted((a, b) => ordinalOf(a) - ordinalOf(b));
  if (told.length === 0) return [];
  const held = await heldByAll(
    redis,
    saleId,
    told.map(({ userId }) => userId),
  );
  const missing = told.filter((one) => !held?.get(one.userId)?.some(({ ordinal }) => ordinal === ordinalOf(one)));
  const orders = new Map(
    (await ledger.orders({ ids: missing.map(({ reservationId }) => reservationId) }, missing.length)).map(
      ({ id, userId }) => [id, userId],
    ),
  );
  const refused = new Set((await ledger.refusalsAmong(missing)).map(nameOf));
  // Where Redis has lost the sale, or what it has of the buyer cannot be read, nothing can be written down with the
  // buyer.
  const isTold = (one: Reservation) => refused.has(nameOf(one)) && held?.get(one.userId) === undefined;
  return missing.filter((one) => orders.get(one.reservationId) !== one.userId && !isTold(one));
}

/**
 * Puts lost reservations back whose number, units and ref are free, and refuses the others for good: their buyers hear
 * that they have failed, at once or when they come back. Safe to repeat.
 * @param lost in order of their numbers
 */
export async function resolveLostReservations(
  { redis, ledger, signer }: Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>,
  saleId: string,
  lost: readonly Reservation[],
): Promise<{ putBack: number; refused: number }> {
  const held = await heldByAll(
    redis,
    saleId,
    lost.map(({ userId }) => userId),
  );
  const known = new Set((await ledger.refusalsAmong(lost)).map(nameOf));
  const isRefTaken = (one: Reservation) =>
    hasRefElsewhere(held?.get(one.userId), { ...one, ordinal: reservationOrdinal(saleId, one.reservationId) });
  const isFinal = (one: Reservation) => known.has(nameOf(one)) || isRefTaken(one);
  const taken = lost.filter(isFinal);
  const open = lost.filter((one) => !isFinal(one));
  for (let at = 0; at < open.length; at += REBOOK_MAX) {
    const part = open.slice(at, at + REBOOK_MAX);
    const answers = await rebook(redis, signer, saleId, part);
    taken.push(...part.filter((_, i) => answers === null || answers[i] === 'taken'));
  }
  const refused = await ledger.refuseReservations(
    taken.map(({ reservationId, userId, sku, quantity }) => ({
      saleId,
      reservationId,
      userId,
      sku,
      quantity,
      reason: 'lost',
      detail: DETAIL,
    })),
  );
  const names = new Set(refused.map(nameOf));
  // A ref names one purchase: the one that stands.
  await recordFailed(
    redis,
    signer,
    saleId,
    taken.filter((one) => names.has(nameOf(one))).map((one) => (isRefTaken(one) ? { ...one, ref: undefined } : one)),
  );
  await announceRefused(redis, signer, saleId, refused);
  return { putBack: lost.length - taken.length, refused: refused.length };
}
