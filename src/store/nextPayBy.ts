import { parseReservation, type Reservation } from '../sale/reservation.ts';
import { reservationOrdinal } from '../sale/ids.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { readLog } from './rains.ts';
import { saleKeys } from './saleKeys.ts';
import { parseHeld } from './sales.ts';

/** Entries per read. The next deadline is mostly where the last call has found it, so the first reads are short. */
const PAGES = [8, 40, 200, 200, 200, 200] as const;

interface NextPayBy {
  /** Where in the log to go on: all reservations of this item before it are decided, or overdue. */
  from: number;
  /** Epoch ms. Absent: not found yet, or nobody has to pay. */
  payBy?: number;
}

/**
 * The earliest deadline from now on of a reservation of this item that is neither paid nor released: when its next
 * units may come back. The hold time is one per sale, so the log is in order of deadlines. The next call continues the
 * search where this one stopped [R10].
 * @param from the result of the last call for this item, 0 at first. @param now epoch ms, by Redis's clock
 */
export async function nextPayBy(
  redis: RedisClient,
  saleId: string,
  sku: string,
  from: number,
  now: number,
): Promise<NextPayBy> {
  const keys = saleKeys(saleId);
  const logged = await redis.llen(keys.reservations);
  const isOverdue = (entry: Reservation | undefined) => entry !== undefined && Number(entry.payBy) <= now;
  let at = from > logged ? 0 : from;
  for (const page of PAGES) {
    const entries = await entriesOf(redis, keys.reservations, at, Math.min(at + page, logged));
    const ours = entries.flatMap((entry, i) => (entry?.sku === sku && !isOverdue(entry) ? [{ entry, i }] : []));
    const held = ours.length > 0 ? await redis.hmget(keys.buyers, ...ours.map(({ entry }) => entry.userId)) : [];
    const open = ours.find(({ entry }, i) => isUndecided(held[i], saleId, entry));
    if (open) return { from: at + open.i, payBy: Number(open.entry.payBy) };
    at += entries.length;
    if (at === logged || entries.length === 0) break;
    if (isOverdue(entries.at(-1)))
      at = await passOverdue(
        async (place) => isOverdue((await entriesOf(redis, keys.reservations, place, place + 1))[0]),
        at,
        logged,
      );
  }
  return { from: at };
}

/**
 * The first place from `from` on that is not overdue, or an unreadable one before it, by halving: overdue reservations
 * are many when a wave was not paid for.
 */
async function passOverdue(isOverdue: (place: number) => Promise<boolean>, from: number, to: number): Promise<number> {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isOverdue(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Entries `from` (inclusive) to `to` (exclusive), the oldest is 0; `undefined`: not a reservation. */
async function entriesOf(
  redis: RedisClient,
  log: string,
  from: number,
  to: number,
): Promise<(Reservation | undefined)[]> {
  return (await readLog(redis, log, from, to)).map((text) => {
    const parsed = parseReservation(text);
    return parsed.ok ? parsed.reservation : undefined;
  });
}

function isUndecided(entry: string | null | undefined, saleId: string, { reservationId }: Reservation): boolean {
  const ordinal = reservationOrdinal(saleId, reservationId);
  return (
    parseHeld(entry ?? '')?.some(
      (one) => one.ordinal === ordinal && (one.status === 'reserved' || one.status === 'created'),
    ) ?? false
  );
}
