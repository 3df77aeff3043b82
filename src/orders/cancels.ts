import { randomUUID } from 'node:crypto';
import { startLoop } from '../platform/concurrency/loop.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { reportingFault, throttled, type Logger } from '../platform/telemetry/log.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { reservationId } from '../sale/ids.ts';
import { leaseWishes, readWishes, removeWishes } from '../store/cancels.ts';
import { liveSales } from '../store/sales.ts';
import { hasSaleKey, OTHER_SALE_KEY } from '../store/saleSigner.ts';
import type { Signer } from '../store/signer.ts';

interface CancelsOptions {
  redis: RedisClient;
  signer: Pick<Signer, 'isWish' | 'under'>;
  ledger: Pick<Ledger, 'cancelOrders' | 'refusalsAmong'>;
  log: Logger;
  /** Unique among the workers of all processes. */
  owner?: string;
  everyMs?: number;
  leaseMs?: number;
  /** How long another worker may hold the lease of a sale in which the oldest wish stays the same. */
  leasedMs?: number;
}

interface Wished {
  userId: string;
  orderId: string;
}

const nameOf = ({ userId, orderId }: Wished) => `${orderId} ${userId}`;

/** Wishes per read [R10]: what somebody else has written is cleared away in such steps. */
const WISHES_MAX = 5_000;
/** Wishes per statement. */
const CARRIED_OUT_MAX = 500;
const FORGED_LOG_MS = 60_000;
/** Longer than carrying them out takes. */
const LEASE_MS = 20_000;
/** Anybody who can write to Redis can hold a lease for ever, and no wish would be carried out. */
const LEASED_MS = 60_000;

/** As `lua/cancel.lua` writes it: the user, the number of the reservation, and the gateway's signature. */
const WISH = /^(.+) ([1-9]\d{0,14}) ([\w-]{16})$/s;

/**
 * Carries out what `lua/cancel.lua` has written down. A wish is removed after the order was cancelled, or has turned
 * out to be paid or released: if it is cut in between, it is done again, which is harmless. A wish that comes before
 * its order is tried again each round, unless the ledger has refused the reservation: then no order will follow. A wish
 * that no gateway has signed is dropped: anybody who can write to Redis could cancel another's order, and keep wishes
 * away by filling the list.
 */
export function startCancels({
  redis,
  ledger,
  log,
  signer,
  owner = randomUUID(),
  everyMs = 200,
  leaseMs = LEASE_MS,
  leasedMs = LEASED_MS,
}: CancelsOptions) {
  const counters = { cancelWishes: 0, forgedWishes: 0 };
  const reportForged = throttled(
    (facts: object) =>
      log.error(
        facts,
        'wishes to cancel that are not signed with SIGNING_SECRET were dropped: somebody else writes to this Redis',
      ),
    FORGED_LOG_MS,
  );
  const failing = new Set<string>();
  /** Sales whose lease another worker has: the oldest wish, and since when it is that, `performance.now()`. */
  const refused = new Map<string, { oldest: string; since: number }>();

  async function isMine(saleId: string, oldest: string): Promise<boolean> {
    if (await leaseWishes(redis, saleId, owner, leaseMs)) return (void refused.delete(saleId), true);
    const before = refused.get(saleId);
    if (before?.oldest === oldest) return performance.now() - before.since >= leasedMs;
    refused.set(saleId, { oldest, since: performance.now() });
    return false;
  }

  /**
   * @returns whether there is more to do now.
   * @throws when this process lacks the sale's key: it cannot tell what is forged
   */
  async function visit(saleId: string): Promise<boolean> {
    const texts = await readWishes(redis, saleId, WISHES_MAX);
    if (texts.length === 0) return false;
    if (!(await hasSaleKey(redis, signer, saleId))) throw new Error(OTHER_SALE_KEY);
    if (!(await isMine(saleId, texts[0]!))) return false;
    const orders = new Map(texts.map((text) => [text, orderOf(saleId, text)]));
    const wished = [...orders.values()].filter((order) => order !== undefined);
    const missing = new Set<string>();
    for (let at = 0; at < wished.length; at += CARRIED_OUT_MAX)
      for (const orderId of await ledger.cancelOrders(wished.slice(at, at + CARRIED_OUT_MAX))) missing.add(orderId);
    const waiting = texts.filter((text) => missing.has(orders.get(text)?.orderId ?? ''));
    const inLedger = await refusedAmong(waiting.map((text) => orders.get(text)!));
    const tooEarly = waiting.filter((text) => !inLedger.has(nameOf(orders.get(text)!)));
    if (!(await removeWishes(redis, saleId, texts, tooEarly))) return true;
    const forged = texts.filter((text) => !orders.get(text)).length;
    const carriedOut = texts.length - forged - tooEarly.length;
    counters.cancelWishes += carriedOut;
    counters.forgedWishes += forged;
    if (forged > 0) reportForged({ saleId, forged });
    return carriedOut + forged === WISHES_MAX;
  }

  async function refusedAmong(wished: readonly Wished[]): Promise<ReadonlySet<string>> {
    const names = new Set<string>();
    for (let at = 0; at < wished.length; at += CARRIED_OUT_MAX) {
      const asked = wished
        .slice(at, at + CARRIED_OUT_MAX)
        .map(({ userId, orderId }) => ({ userId, reservationId: orderId }));
      for (const { userId, reservationId: orderId } of await ledger.refusalsAmong(asked))
        names.add(nameOf({ userId, orderId }));
    }
    return names;
  }

  /** @returns undefined: no gateway has written this wish */
  function orderOf(saleId: string, text: string): Wished | undefined {
    const [, userId, ordinal, mac] = WISH.exec(text) ?? [];
    if (userId === undefined || !signer.isWish(mac!, { saleId, userId, ordinal: Number(ordinal) })) return undefined;
    return { userId, orderId: reservationId(saleId, Number(ordinal)) };
  }

  /** Key `''` stands for the list of sales. */
  const attempt = <T>(saleId: string, work: () => Promise<T>) =>
    reportingFault(failing, saleId, work, {
      began: (error) =>
        log.warn({ saleId, error: String(error) }, 'wishes to cancel cannot be carried out, will try again'),
      over: () => log.info({ saleId }, 'wishes to cancel are carried out again'),
    });

  const rounds = startLoop(async (signal) => {
    const live = await attempt('', () => liveSales(redis));
    if (!live) return everyMs;
    // Only live sales are remembered [R10].
    for (const saleId of [...refused.keys(), ...failing])
      if (saleId !== '' && !live.has(saleId)) [refused, failing].forEach((memory) => memory.delete(saleId));
    const visits = await Promise.all(
      [...live.keys()].map(async (saleId) => (signal.aborted ? false : attempt(saleId, () => visit(saleId)))),
    );
    return visits.includes(true) ? 0 : everyMs;
  });
  return { counters, close: () => rounds.close() };
}
