import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import { parseReservation, type Reservation } from '../sale/reservation.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import { run } from './scripts.ts';
import type { Signer } from './signer.ts';

/** How long a reservation that Redis has lost stays written down, ms. */
const TOLD_TTL_MS = 30 * 24 * 3_600_000;
/** The limit of one sale; more than gateways remember [R10]. */
const TOLD_MAX = 100_000;
/** Per script call, and per read. */
const CHUNK = 500;

const entry = z.object({ entry: z.string(), receipt: z.string() });

/** Nobody can use it for a win: no amount has this form. */
function receiptOf({ saleId, reservationId, userId, sku, quantity, price, ref = '', at, payBy }: Reservation) {
  return {
    rainId: saleId,
    redPacketId: reservationId,
    userId,
    amount: [sku, quantity, price, ref, at, payBy].join(' '),
  };
}

/**
 * Writes down reservations that buyers were told, that Redis has lost, and that cannot be put back, each with a
 * receipt. Safe to repeat.
 */
export async function recordToldReservations(
  redis: RedisClient,
  signer: Pick<Signer, 'receipt'>,
  saleId: string,
  lost: readonly Reservation[],
): Promise<void> {
  for (let at = 0; at < lost.length; at += CHUNK) {
    const args = lost.slice(at, at + CHUNK).flatMap((one) => [
      // Nothing that somebody else writes under another name keeps it out.
      JSON.stringify({ entry: JSON.stringify(one), receipt: signer.receipt(receiptOf(one)) } satisfies z.infer<
        typeof entry
      >),
      '',
    ]);
    await run(redis, 'told', [saleKeys(saleId).told], [TOLD_TTL_MS, TOLD_MAX, ...args]);
  }
}

/**
 * The type of what somebody else has put in the place of the reservations that were written down; undefined: nobody
 * has.
 */
export async function foreignTold(redis: RedisClient, saleId: string): Promise<string | undefined> {
  const type = await redis.type(saleKeys(saleId).told);
  return type === 'hash' || type === 'none' ? undefined : type;
}

/**
 * The reservations of a sale that were written down. Entries without a genuine receipt are left out: somebody else has
 * written them.
 */
export async function readToldReservations(
  redis: RedisClient,
  signer: Pick<Signer, 'isReceipt'>,
  saleId: string,
): Promise<Reservation[]> {
  const told = new Map<string, Reservation>();
  if ((await foreignTold(redis, saleId)) !== undefined) return [];
  for (let cursor = '0', first = true; (first || cursor !== '0') && told.size < TOLD_MAX; first = false) {
    const [next, found] = await redis.hscan(saleKeys(saleId).told, cursor, 'COUNT', CHUNK);
    cursor = next;
    for (let i = 0; i < found.length; i += 2) {
      // Older versions wrote it as the value.
      const one = genuine(signer, saleId, found[i]!) ?? genuine(signer, saleId, found[i + 1]!);
      if (one) told.set(`${one.reservationId} ${one.userId}`, one);
    }
  }
  return [...told.values()];
}

function genuine(signer: Pick<Signer, 'isReceipt'>, saleId: string, text: string): Reservation | undefined {
  const written = entry.safeParse(readJson(text));
  const parsed = written.success ? parseReservation(written.data.entry) : undefined;
  if (!written.success || !parsed?.ok || parsed.reservation.saleId !== saleId) return undefined;
  return signer.isReceipt(written.data.receipt, receiptOf(parsed.reservation)) ? parsed.reservation : undefined;
}
