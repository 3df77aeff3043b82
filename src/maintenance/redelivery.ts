import { ENTRIES_MAX, type EntryRange } from '../credit/job.ts';
import { shardKeys } from '../store/keys.ts';
import { liveRains, readEntries, readRain, type LiveRain } from '../store/rains.ts';
import { isCredited, readCredits, readDiscardedLetters } from '../operator/audit/booked.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';

export interface RedeliveryOptions {
  context: OperatorContext;
  /** Unfinished credit jobs. */
  jobsPending: () => Promise<number>;
  /** Their ranges, and those of jobs that wait for the payout provider. */
  pendingRanges: () => Promise<readonly EntryRange[]>;
  /** Sends entries `from` (inclusive) to `to` (exclusive) of a claim log to the queue again; 0 when another process does it. */
  resend: (rainId: string, shard: number, from: number, to: number) => Promise<number>;
  /** Which of these entries are dead letters, in order. */
  areDead: (rainId: string, shard: number, entries: readonly LoggedEntry[]) => Promise<boolean[]>;
  log: Logger;
  everyMs?: number;
  /** How long no claim of a rain must have been credited before missing ones are sent again, ms; doubled after each attempt. */
  sweepAfterMs?: number;
}

interface LoggedEntry {
  index: number;
  entry: string;
}

/** With this many unfinished jobs, missing claims are probably among them; also the most jobs that one sweep adds [R10]. */
const JOBS_MAX = 100;
const SWEEP_AFTER_MS_MAX = 600_000;

/**
 * Sends claims again that the queue has lost: they were carried to it but are not in the ledger, and nothing moves any more. That is
 * harmless [R5]. Dead letters are left to the operator, discarded ones stay discarded, and claims in an unfinished job are left to it.
 */
export function startRedelivery({ context, jobsPending, pendingRanges, resend, areDead, log, everyMs = 5_000, sweepAfterMs = 15_000 }: RedeliveryOptions): Loop {
  const missing = new Map<string, { credited: number; since: number; sweepAfterMs: number }>();

  async function visit(rainId: string, live: LiveRain): Promise<void> {
    const [snapshot, book] = [await readRain(context.redis, rainId, live), await context.ledger.book(rainId)];
    const credited = book?.credited.count ?? 0;
    // Counts prove that nothing is missing only while the log is complete: a closed rain is checked claim by claim.
    const accounted = book !== undefined && snapshot !== undefined && snapshot.relayed <= credited + book.discardedClaims && snapshot.state !== 'closed';
    if (!snapshot || !book || accounted) return void missing.delete(rainId);
    const before = missing.get(rainId);
    if (before?.credited !== credited) return void missing.set(rainId, { credited, since: performance.now(), sweepAfterMs });
    if (performance.now() - before.since < before.sweepAfterMs || await jobsPending() >= JOBS_MAX) return;
    const sent = await sweep(rainId, live);
    if (sent > 0) log.warn({ rainId, claims: sent }, 'claims that were carried to the queue are missing from the ledger and were sent again');
    missing.set(rainId, { credited, since: performance.now(), sweepAfterMs: Math.min(2 * before.sweepAfterMs, SWEEP_AFTER_MS_MAX) });
  }

  async function sweep(rainId: string, { shards }: LiveRain): Promise<number> {
    // Read in the order in which a claim moves: a claim that is credited or dead-lettered in between is found there.
    const pending = (await pendingRanges()).filter((range) => range.rainId === rainId);
    const credits = await readCredits(context, rainId);
    const isDiscarded = await readDiscardedLetters(context, rainId);
    let [sent, jobs] = [0, 0];
    for (let shard = 0; shard < shards; shard++) {
      const length = await context.redis.llen(shardKeys(rainId, shard).claims);
      for (let from = 0; from < length && jobs < JOBS_MAX; from += ENTRIES_MAX) {
        const to = Math.min(from + ENTRIES_MAX, length);
        const entries = await readEntries(context.redis, rainId, shard, from, to);
        const absent = entries.map((entry, i) => ({ index: from + i, entry })).filter((found) => !isCredited(found.entry, credits) && !isDiscarded({ rainId, shard, ...found }));
        const dead = absent.length === 0 ? [] : await areDead(rainId, shard, absent);
        const isPending = (index: number) => pending.some((range) => range.shard === shard && range.from <= index && index < range.to);
        const ranges = missingRanges(absent.map(({ index }, i) => ({ index, missing: !dead[i] && !isPending(index) })));
        for (const range of ranges.slice(0, JOBS_MAX - jobs)) {
          sent += await resend(rainId, shard, range.from, range.to);
          jobs++;
        }
      }
    }
    return sent;
  }

  return startLoop(async (signal) => {
    try {
      for (const [rainId, live] of await liveRains(context.redis)) {
        if (!signal.aborted) await visit(rainId, live).catch((error: unknown) => log.warn({ rainId, error: String(error) }, 'sweeping failed, will try again'));
      }
    } catch (error) {
      log.warn({ error: String(error) }, 'redelivery cannot read the rains, will try again');
    }
    return everyMs;
  });
}

/** Ranges from the first to the last missing entry, split by entries that are not missing; credited ones in between do no harm. */
function missingRanges(absent: readonly { index: number; missing: boolean }[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  let cut = true;
  for (const { index, missing } of absent) {
    if (missing && cut) ranges.push({ from: index, to: index + 1 });
    else if (missing) ranges.at(-1)!.to = index + 1;
    cut = !missing;
  }
  return ranges;
}
