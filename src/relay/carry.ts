import { ENTRIES_MAX } from '../credit/job.ts';
import type { JobQueue } from '../credit/queue.ts';
import { readLog } from '../store/rains.ts';
import type { run } from '../store/scripts.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { CarriedLog } from './carriedLog.ts';
import type { Leases } from './lease.ts';
import { advance, readPosition } from './position.ts';

export interface CarryDependencies<Job> {
  redis: RedisClient;
  queue: Pick<JobQueue<Job>, 'add'>;
  leases: Leases;
  /** Runs the script that moves the cursor; a test replaces it by one that fails. */
  runScript?: typeof run;
  /** Default: all entries of the log may be carried. */
  read?: ReadLog;
  /** Called when a job is in the queue, with the time when its log was read, epoch ms; not for resent jobs. */
  onCarried?: (job: Job, readAt: number) => void;
}

/**
 * Entries `from` (inclusive, counted from the oldest) to `to` (exclusive) of the log with this key; fewer or none while
 * they may not be carried yet.
 */
export type ReadLog = (key: string, from: number, to: number) => Promise<string[]>;

/**
 * `more`: entries are left in the log. `carried`: all are in the queue now. `idle`: nothing to do, or another relay
 * does it.
 */
export type Carried = 'more' | 'carried' | 'idle';

/**
 * One visit to one log: up to ENTRIES_MAX entries go to the queue as one job, THEN the cursor moves. If it is killed in
 * between, the next visit carries the range again, and the ledger finds it `already` there [R5]; else it would be lost.
 */
export async function carryLog<Job>(
  { redis, queue, leases, runScript, read = readFrom(redis), onCarried }: CarryDependencies<Job>,
  log: CarriedLog<Job>,
): Promise<Carried> {
  const seen = await readPosition(redis, log.keys);
  if (seen.next >= seen.length && seen.cursor === String(seen.next)) return 'idle';
  if (!(await leases.hold(log.keys.lease, ['carry', seen.cursor]))) return 'idle';
  const to = Math.min(seen.length, seen.next + ENTRIES_MAX);
  const readAt = Date.now();
  const entries = await read(log.keys.log, seen.next, to);
  if (entries.length === 0 && to > seen.next) return 'idle';
  if (entries.length > 0) {
    const job = log.toJob(seen.next, entries);
    await addJob(queue, log, job);
    onCarried?.(job, readAt);
  }
  const moved = await advance(
    redis,
    log.keys,
    { owner: leases.owner, from: seen.cursor, to: seen.next + entries.length },
    runScript,
  );
  // Refused: the rain or sale is gone, or another relay carries the range too. The next visit reads the position again.
  if (moved !== 'moved') return 'idle';
  return to < seen.length ? 'more' : 'carried';
}

/**
 * Sends entries `from` (inclusive, counted from the oldest) to `to` (exclusive) again, whatever happened to their jobs:
 * for entries that are in the log but not in the ledger.
 * @param again identifies this repetition; the ids of its jobs differ from all earlier ones
 * @returns how many entries were sent; also 0 when another relay carries this log
 */
export async function resendRange<Job>(
  { redis, queue, leases, read = readFrom(redis) }: CarryDependencies<Job>,
  log: CarriedLog<Job>,
  from: number,
  to: number,
  again: string,
): Promise<number> {
  if (!(await leases.hold(log.keys.lease, ['resend', '']))) return 0;
  let sent = 0;
  for (let at = from; at < to; at += ENTRIES_MAX) {
    const entries = await read(log.keys.log, at, Math.min(to, at + ENTRIES_MAX));
    if (entries.length === 0) break;
    await addJob(queue, log, log.toJob(at, entries), again);
    sent += entries.length;
  }
  return sent;
}

const readFrom =
  (redis: RedisClient): ReadLog =>
  (...range) =>
    readLog(redis, ...range);
const addJob = <Job>(queue: CarryDependencies<Job>['queue'], log: CarriedLog<Job>, job: Job, again?: string) =>
  queue.add('range', job, { jobId: log.jobId(job, again) });
