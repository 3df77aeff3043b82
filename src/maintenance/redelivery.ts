import { ENTRIES_MAX, type EntryRange } from '../credit/job.ts';
import { shardKeys } from '../store/keys.ts';
import { liveRains, readEntries, readRain, type LiveRain } from '../store/rains.ts';
import { isCredited, readCredits } from '../operator/audit/booked.ts';
import { readDiscardedLetters } from '../operator/audit/discarded.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';

export interface RedeliveryOptions {
  context: OperatorContext;
  /** Credit jobs that are not done yet. */
  jobsPending: () => Promise<number>;
  /** What the jobs that are not done yet are about, those included that wait for the balance system. */
  pendingRanges: () => Promise<readonly EntryRange[]>;
  /** Sends entries `from` (inclusive) to `to` (exclusive) of a claim log to the queue again; 0 when another process does it. */
  resend: (rainId: string, shard: number, from: number, to: number) => Promise<number>;
  /** Which of these entries lie with the dead letters, in order. */
  areDead: (rainId: string, shard: number, entries: readonly LoggedEntry[]) => Promise<boolean[]>;
  log: Logger;
  everyMs?: number;
  /** How long no claim of a rain was credited before the missing ones are sent again, ms; doubled each time it was in vain. */
  sweepAfterMs?: number;
  sweepAfterMsMax?: number;
}

interface LoggedEntry {
  index: number;
  entry: string;
}

/** With so many jobs at work what is missing may well be among them; and so many one sweep adds at most [R10]. */
const JOBS_MAX = 100;

interface Missing {
  credited: number;
  since: number;
  sweepAfterMs: number;
}

/**
 * Finds what the queue has lost, of open rains as of closed ones: claims that were handed over and are not in the book
 * though nothing moves any more. Sending them again is harmless [R5]; dead letters are left to the operator, what he has laid
 * to rest rests, and claims in a job that is not done are left to that job, which ends in the book, with the dead letters, or
 * with the failed jobs.
 */
export function startRedelivery({ context, jobsPending, pendingRanges, resend, areDead, log, everyMs = 5_000, sweepAfterMs = 15_000, sweepAfterMsMax = 600_000 }: RedeliveryOptions): Loop {
  const missing = new Map<string, Missing>();

  async function look(rainId: string, live: LiveRain): Promise<void> {
    const [reading, book] = [await readRain(context.redis, rainId, live), await context.ledger.book(rainId)];
    const credited = book?.credited.count ?? 0;
    // Counts can only tell that nothing is missing as long as the log is whole: a closed rain is looked at claim by claim.
    const accounted = book !== undefined && reading !== undefined && reading.relayed <= credited + book.discardedClaims && reading.state !== 'closed';
    if (!reading || !book || accounted) return void missing.delete(rainId);
    const before = missing.get(rainId);
    if (before?.credited !== credited) return void missing.set(rainId, { credited, since: performance.now(), sweepAfterMs });
    if (performance.now() - before.since < before.sweepAfterMs || await jobsPending() >= JOBS_MAX) return;
    const sent = await sweep(rainId, live);
    if (sent > 0) log.warn({ rainId, claims: sent }, 'claims that were handed over are missing from the book and were sent again');
    missing.set(rainId, { credited, since: performance.now(), sweepAfterMs: Math.min(2 * before.sweepAfterMs, sweepAfterMsMax) });
  }

  async function sweep(rainId: string, { shards }: LiveRain): Promise<number> {
    // In the order in which a claim goes: one that is credited or dead-lettered in between is found there.
    const pending = (await pendingRanges()).filter((range) => range.rainId === rainId);
    const credits = await readCredits(context, rainId);
    const isResting = await readDiscardedLetters(context, rainId);
    let [sent, jobs] = [0, 0];
    for (let shard = 0; shard < shards; shard++) {
      const length = await context.redis.llen(shardKeys(rainId, shard).claims);
      for (let from = 0; from < length && jobs < JOBS_MAX; from += ENTRIES_MAX) {
        const to = Math.min(from + ENTRIES_MAX, length);
        const entries = await readEntries(context.redis, rainId, shard, from, to);
        const absent = entries.map((entry, i) => ({ index: from + i, entry })).filter((found) => !isCredited(found.entry, credits) && !isResting({ rainId, shard, ...found }));
        const dead = absent.length === 0 ? [] : await areDead(rainId, shard, absent);
        const ranges = missingRanges(absent.map(({ index }, i) => ({ index, missing: !dead[i] && !isPending(index, shard, pending) })));
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
        if (!signal.aborted) await look(rainId, live).catch((error: unknown) => log.warn({ rainId, error: String(error) }, 'sweeping failed, will try again'));
      }
    } catch (error) {
      log.warn({ error: String(error) }, 'redelivery cannot see the rains, will try again');
    }
    return everyMs;
  });
}

function isPending(index: number, shard: number, pending: readonly EntryRange[]): boolean {
  return pending.some((range) => range.shard === shard && range.from <= index && index < range.to);
}

/** From the first to the last of those that are missing, cut by those that are not; credited ones in between do no harm. */
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
