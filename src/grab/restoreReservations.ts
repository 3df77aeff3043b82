import type { RedisClient } from '../platform/redis/connect.ts';
import { reservationOrdinal } from '../sale/ids.ts';
import type { Reservation } from '../sale/reservation.ts';
import { REBOOK_MAX, rebook } from '../store/rebook.ts';
import { saleKeys } from '../store/saleKeys.ts';
import { hasRefElsewhere, parseHeld } from '../store/sales.ts';
import type { Signer } from '../store/signer.ts';

/** A reservation as it was told to its buyer; both moments are epoch ms by Redis's clock. */
export interface SentReservation extends Omit<Reservation, 'at' | 'payBy' | 'mac'> {
  at: number;
  payBy: number;
}

/** The outcome for the told reservations of one sale that Redis had lost. */
interface RestoredReservations {
  saleId: string;
  putBack: number;
  /**
   * Could not be put back: somebody else has the number or the units by now, the buyer has the ref under another
   * number, the sale is settled, or Redis has no such sale any more.
   */
  lost: SentReservation[];
  /** There, but with another deadline than the buyer was told: somebody has changed it. */
  changed: SentReservation[];
}

/** Reservations per HMGET. */
const READ_MAX = 512;

/**
 * Checks whether Redis still holds these reservations, and puts back those it has lost. Safe to repeat, and at several
 * gateways at once.
 * @returns `restored`: only sales in which one was missing or changed; `faults`: one for each sale that could not be
 *   checked to its end. Then repeat it
 */
export async function restoreReservations(
  redis: RedisClient,
  signer: Pick<Signer, 'reservationMac'>,
  told: Iterable<SentReservation>,
): Promise<{ restored: RestoredReservations[]; faults: unknown[] }> {
  const sales = new Map<string, SentReservation[]>();
  for (const one of told) {
    const known = sales.get(one.saleId);
    if (known) known.push(one);
    else sales.set(one.saleId, [one]);
  }
  const done: Awaited<ReturnType<typeof restoreReservations>> = { restored: [], faults: [] };
  for (const [saleId, reservations] of sales) {
    const restored: RestoredReservations = { saleId, putBack: 0, lost: [], changed: [] };
    try {
      await restoreSale(redis, signer, reservations, restored);
    } catch (error) {
      // A sale that cannot be checked does not delay the reservations of the others.
      done.faults.push(error);
    }
    if (restored.putBack + restored.lost.length + restored.changed.length > 0) done.restored.push(restored);
  }
  return done;
}

/** @param restored gets what was done, also when the rest fails */
async function restoreSale(
  redis: RedisClient,
  signer: Pick<Signer, 'reservationMac'>,
  reservations: readonly SentReservation[],
  restored: RestoredReservations,
): Promise<void> {
  const { missing, lost, changed } = await findMissing(redis, restored.saleId, reservations);
  restored.lost.push(...lost);
  restored.changed.push(...changed);
  const inOrder = missing.toSorted((a, b) => ordinalOf(a) - ordinalOf(b));
  for (let at = 0; at < inOrder.length; at += REBOOK_MAX) {
    const part = inOrder.slice(at, at + REBOOK_MAX);
    const answers = await rebook(
      redis,
      signer,
      restored.saleId,
      part.map((one) => ({ ...one, at: String(one.at), payBy: String(one.payBy) })),
    );
    part.forEach((one, i) => {
      if (answers === null || answers[i] === 'taken') restored.lost.push(one);
      else if (answers[i] === 'put_back') restored.putBack++;
    });
  }
}

/** `lost`: missing, and the buyer has bought with its ref again: one purchase becomes one order. */
async function findMissing(
  redis: RedisClient,
  saleId: string,
  reservations: readonly SentReservation[],
): Promise<Record<'missing' | 'lost' | 'changed', SentReservation[]>> {
  const found: Awaited<ReturnType<typeof findMissing>> = { missing: [], lost: [], changed: [] };
  for (let at = 0; at < reservations.length; at += READ_MAX) {
    const part = reservations.slice(at, at + READ_MAX);
    const entries = await redis.hmget(saleKeys(saleId).buyers, ...part.map(({ userId }) => userId));
    part.forEach((one, i) => {
      const held = parseHeld(entries[i] ?? '');
      const ordinal = ordinalOf(one);
      const there = held?.find((its) => its.ordinal === ordinal);
      if (there && there.payBy !== one.payBy) found.changed.push(one);
      if (there) return;
      found[hasRefElsewhere(held, { ordinal, ref: one.ref }) ? 'lost' : 'missing'].push(one);
    });
  }
  return found;
}

function ordinalOf({ saleId, reservationId }: SentReservation): number {
  return reservationOrdinal(saleId, reservationId)!;
}
