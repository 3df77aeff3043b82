import { creditJobId, ENTRIES_MAX, type CreditJob } from '../credit/job.ts';
import type { CreditQueue } from '../credit/queue.ts';
import { readEntries } from '../store/rains.ts';
import type { run } from '../store/scripts.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { advance, readPosition } from './claimLog.ts';
import type { Leases } from './lease.ts';

export interface CarryDependencies {
  redis: RedisClient;
  queue: CreditQueue;
  leases: Leases;
  /** Runs the script that moves the cursor; a test replaces it by one that fails. */
  runScript?: typeof run;
  /** Default: all entries of the log may be carried. */
  read?: ReadLog;
  /** Called when a job is in the queue, with the time when its log was read, epoch ms; not for resent jobs. */
  onCarried?: (job: CreditJob, readAt: number) => void;
}

/** As `readEntries`; returns fewer or none while entries may not be carried yet. */
export type ReadLog = (rainId: string, shard: number, from: number, to: number) => Promise<string[]>;

/** `more`: entries are left in the log. `carried`: all are in the queue now. `idle`: nothing to do, or another relay does it. */
export type Carried = 'more' | 'carried' | 'idle';

/**
 * One visit to one shard: up to ENTRIES_MAX entries go to the queue as one job, THEN the cursor moves. If it is killed in
 * between, the next visit carries the range again, and the ledger finds it `already` there [R5]; else it would be lost.
 */
export async function carryShard({ redis, queue, leases, runScript, read = readFrom(redis), onCarried }: CarryDependencies, rainId: string, shard: number): Promise<Carried> {
  const seen = await readPosition(redis, rainId, shard);
  if (seen.next >= seen.length && seen.cursor === String(seen.next)) return 'idle';
  if (!(await leases.hold(rainId, shard, ['carry', seen.cursor]))) return 'idle';
  const to = Math.min(seen.length, seen.next + ENTRIES_MAX);
  const readAt = Date.now();
  const entries = await read(rainId, shard, seen.next, to);
  if (entries.length === 0 && to > seen.next) return 'idle';
  if (entries.length > 0) {
    const job = { rainId, shard, from: seen.next, entries };
    await addJob(queue, job);
    onCarried?.(job, readAt);
  }
  const moved = await advance(redis, rainId, shard, { owner: leases.owner, from: seen.cursor, to: seen.next + entries.length }, runScript);
  // Refused: the shard is gone, or another relay carries the range too. The next visit reads the position again.
  if (moved !== 'moved') return 'idle';
  return to < seen.length ? 'more' : 'carried';
}

/**
 * Sends entries `from` (inclusive, counted from the oldest) to `to` (exclusive) again, whatever happened to their jobs: for claims
 * that are in the log but not in the ledger.
 * @param again identifies this repetition; the ids of its jobs differ from all earlier ones
 * @returns how many entries were sent; also 0 when another relay carries this shard
 */
export async function resendRange({ redis, queue, leases, read = readFrom(redis) }: CarryDependencies, rainId: string, shard: number, from: number, to: number, again: string): Promise<number> {
  if (!(await leases.hold(rainId, shard, ['resend', '']))) return 0;
  let sent = 0;
  for (let at = from; at < to; at += ENTRIES_MAX) {
    const entries = await read(rainId, shard, at, Math.min(to, at + ENTRIES_MAX));
    if (entries.length === 0) break;
    await addJob(queue, { rainId, shard, from: at, entries }, again);
    sent += entries.length;
  }
  return sent;
}

const readFrom = (redis: RedisClient): ReadLog => (...range) => readEntries(redis, ...range);
const addJob = (queue: CreditQueue, job: CreditJob, again?: string) => queue.add('range', job, { jobId: creditJobId(job, again) });
