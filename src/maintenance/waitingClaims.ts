import { deadLetterId } from '../credit/deadLetter.ts';
import { ENTRIES_MAX } from '../credit/job.ts';
import type { OperatorContext } from '../operator/context.ts';
import { startLoop } from '../platform/concurrency/loop.ts';
import { createPauses } from '../platform/concurrency/pauses.ts';
import { registerMetric, type MetricsRegistry } from '../platform/telemetry/metrics.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { parseClaim } from '../rain/claim.ts';
import { redPacketIndex } from '../rain/red-packet.ts';
import { shardKeys } from '../store/keys.ts';
import { liveRains, readEntries, redisNow } from '../store/rains.ts';
import { RAINS_REPORTED_MAX } from './auditor.ts';
import type { RedeliveryOptions } from './redelivery.ts';

interface WaitingClaimsOptions extends Pick<RedeliveryOptions, 'areDead'> {
  context: OperatorContext;
  log: Logger;
  everyMs?: number;
}

export type WaitingClaims = ReturnType<typeof startWaitingClaims>;

/**
 * Where the paid beginning of a claim log ends, and the entry before that: after a failover the log may hold others.
 */
interface Paid {
  length: number;
  last: string | undefined;
}

/** Pages of one claim log that a visit reads at most; a longer paid beginning takes several visits [R10]. */
const PAGES_MAX = 40;
/** Pause after a round: this many times as long as the round took, one stall apart, or `everyMs`. */
const PAUSE_FACTOR = 5;

/**
 * Measures how long the oldest claim has been waiting that is in a claim log and not in the ledger. Dead letters are
 * not among them: they wait for the operator, and have a figure of their own. Logs are read from where the last visit
 * found them paid.
 */
export function startWaitingClaims({ context, log, areDead, everyMs = 10_000 }: WaitingClaimsOptions) {
  const { redis, ledger } = context;
  /** rainId → since when its oldest claim waits, `performance.now()`. */
  const waiting = new Map<string, number>();
  const paidOf = new Map<string, { shards: Paid[]; booked: number }>();
  const failing = new Set<string>();

  /** Positions in `entries` of the claims that the ledger has neither credited nor discarded. */
  async function unpaid(rainId: string, shard: number, from: number, entries: readonly string[]): Promise<number[]> {
    const claims = entries.map((entry) => parseClaim(entry));
    // A claim that cannot be a packet of this rain is never paid, and is given up.
    const ids = claims.flatMap((found) =>
      found.ok && redPacketIndex(rainId, found.claim.redPacketId) !== undefined ? [found.claim.redPacketId] : [],
    );
    const userOf = new Map((await ledger.postings(ids)).map(({ redPacketId, userId }) => [redPacketId, userId]));
    const candidates = claims.flatMap((found, i) =>
      found.ok && ids.includes(found.claim.redPacketId) && userOf.get(found.claim.redPacketId) !== found.claim.userId
        ? [i]
        : [],
    );
    const letterOf = (i: number) => deadLetterId({ rainId, shard, index: from + i, entry: entries[i]! });
    const discarded = await ledger.discardedClaims(candidates.map(letterOf));
    return candidates.filter((i) => !discarded.has(letterOf(i)));
  }

  /** @returns when the oldest waiting claim of this shard was won, epoch ms */
  async function oldest(rainId: string, shard: number, paid: Paid): Promise<number | undefined> {
    let isPaid = true;
    for (let page = 0, from = paid.length; page < PAGES_MAX; page++, from += ENTRIES_MAX) {
      const entries = await readEntries(redis, rainId, shard, from, from + ENTRIES_MAX);
      if (entries.length === 0) return undefined;
      const open = await unpaid(rainId, shard, from, entries);
      const count = open[0] ?? entries.length;
      if (isPaid && count > 0) Object.assign(paid, { length: from + count, last: entries[count - 1] });
      isPaid &&= open.length === 0;
      const dead =
        open.length === 0
          ? []
          : await areDead(
              rainId,
              shard,
              open.map((i) => ({ index: from + i, entry: entries[i]! })),
            );
      const first = open.find((_, i) => !dead[i]);
      const found = first === undefined ? undefined : parseClaim(entries[first]!);
      if (found?.ok) return Number(found.claim.at);
    }
    return undefined;
  }

  async function visit(rainId: string, shards: number): Promise<void> {
    const book = await ledger.book(rainId);
    if (!book) return;
    const before = paidOf.get(rainId);
    const booked = book.credited.count + book.discardedClaims;
    // The ledger has less than before: it was restored from a backup.
    const isOlder = before !== undefined && booked < before.booked;
    const paid = before?.shards ?? Array.from({ length: shards }, (): Paid => ({ length: 0, last: undefined }));
    paidOf.set(rainId, { shards: paid, booked });
    const moments: number[] = [];
    for (const [shard, mark] of paid.entries()) {
      const [last] = mark.length === 0 ? [] : await readEntries(redis, rainId, shard, mark.length - 1, mark.length);
      if (isOlder || last !== mark.last) Object.assign(mark, { length: 0, last: undefined });
      const at =
        (await redis.llen(shardKeys(rainId, shard).claims)) > mark.length
          ? await oldest(rainId, shard, mark)
          : undefined;
      if (at !== undefined) moments.push(at);
    }
    if (moments.length === 0) return void waiting.delete(rainId);
    waiting.set(rainId, performance.now() - Math.max(0, (await redisNow(redis)) - Math.min(...moments)));
  }

  async function round(signal: AbortSignal): Promise<void> {
    const live = await liveRains(redis);
    // By the ledger, as the auditor does: made-up rains of the index must not hide real ones.
    const rains = (await ledger.rains(RAINS_REPORTED_MAX, 'unsettled')).flatMap(({ id, shards }) =>
      live.has(id) ? [[id, shards] as const] : [],
    );
    const known = new Set(rains.map(([rainId]) => rainId));
    for (const rainId of [...paidOf.keys(), ...waiting.keys(), ...failing]) {
      if (rainId === '' || known.has(rainId)) continue;
      for (const memory of [paidOf, waiting, failing]) memory.delete(rainId);
    }
    for (const [rainId, shards] of rains) if (!signal.aborted) await attempt(rainId, () => visit(rainId, shards));
  }

  /** Key `''` stands for the list of rains. */
  const attempt = (rainId: string, work: () => Promise<void>) =>
    reportingFault(failing, rainId, work, {
      began: (error) => log.warn({ rainId, error: String(error) }, 'waiting claims cannot be counted, will try again'),
      over: () => log.info({ rainId }, 'waiting claims are counted again'),
    });

  const pauses = createPauses(PAUSE_FACTOR);
  const rounds = startLoop(async (signal) => {
    const start = performance.now();
    await attempt('', () => round(signal));
    return Math.max(everyMs, pauses.after('', performance.now() - start));
  });
  return {
    /** Over all rains; 0: none waits. */
    oldestSeconds: (): number =>
      Math.max(0, ...[...waiting.values()].map((since) => (performance.now() - since) / 1_000)),
    close: () => rounds.close(),
  };
}

export function registerWaitingClaims(
  registry: MetricsRegistry,
  { oldestSeconds }: Pick<WaitingClaims, 'oldestSeconds'>,
): void {
  registerMetric(registry, {
    kind: 'gauge',
    name: 'rain_oldest_waiting_claim_seconds',
    help: 'How long the oldest claim waits that is in a claim log and not in the ledger, over all rains; dead letters are not counted. Seconds are normal in a big wave, minutes are a winner who is not paid',
    read: () => [{ value: oldestSeconds() }],
  });
}
