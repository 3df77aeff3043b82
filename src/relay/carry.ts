import { creditJobId, ENTRIES_MAX, type CreditJob } from '../credit/job.ts';
import type { CreditQueue } from '../credit/queue.ts';
import { readEntries } from '../store/rains.ts';
import type { run } from '../store/scripts.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { advance, readPosition } from './claimLog.ts';
import type { Leases } from './lease.ts';

export interface CarryParts {
  redis: RedisClient;
  queue: CreditQueue;
  leases: Leases;
  /** How the cursor is moved. */
  runScript?: typeof run;
  /** How the log is read: entries that may be carried. Default: whatever is there. */
  read?: ReadLog;
  /** Called when a job is with the queue, with when its log was read, epoch ms; not for what is sent again. */
  onCarried?: (job: CreditJob, readAt: number) => void;
}

/** As `readEntries`; fewer, or none, when they may not be carried yet. */
export type ReadLog = (rainId: string, shard: number, from: number, to: number) => Promise<string[]>;

/** `more`: entries are left in the log. `carried`: all is with the queue now. `idle`: there was nothing to do, or another relay does it. */
export type Carried = 'more' | 'carried' | 'idle';

/**
 * One visit to one shard: up to ENTRIES_MAX entries go to the queue as one job, THEN the cursor moves. Killed in between,
 * the next visit carries the same range again, and the ledger finds it `already` there [R5]; the other way round it would
 * be lost. Nothing is written to an idle shard.
 */
export async function carryShard({ redis, queue, leases, runScript, read = readFrom(redis), onCarried }: CarryParts, rainId: string, shard: number): Promise<Carried> {
  const seen = await readPosition(redis, rainId, shard);
  if (seen.next >= seen.length && seen.cursor === seen.next) return 'idle';
  if (!(await leases.hold(rainId, shard))) return 'idle';
  const to = Math.min(seen.length, seen.next + ENTRIES_MAX);
  const readAt = Date.now();
  const entries = await read(rainId, shard, seen.next, to);
  if (entries.length === 0 && to > seen.next) return 'idle';
  if (entries.length > 0) {
    const job = { rainId, shard, from: seen.next, entries };
    await addJob(queue, job);
    onCarried?.(job, readAt);
  }
  const move = await advance(redis, rainId, shard, { owner: leases.owner, from: seen.cursor, to: seen.next + entries.length }, runScript);
  // Refused: the shard is gone, or another relay carries the range, too. Either way the next visit begins with what it finds.
  if (move !== 'moved') return 'idle';
  return to < seen.length ? 'more' : 'carried';
}

/**
 * Sends a range of a claim log again, whatever became of its jobs: for claims that are in the log and not in the book.
 *
 * @param from inclusive, counted from the oldest entry
 * @param to exclusive
 * @param again names this repetition; the ids of its jobs differ from all before
 * @returns how many entries were sent; 0 also when another relay carries this shard, whose turn it is then
 */
export async function resendRange({ redis, queue, leases, read = readFrom(redis) }: CarryParts, rainId: string, shard: number, from: number, to: number, again: string): Promise<number> {
  if (!(await leases.hold(rainId, shard))) return 0;
  let sent = 0;
  for (let at = from; at < to; at += ENTRIES_MAX) {
    const entries = await read(rainId, shard, at, Math.min(to, at + ENTRIES_MAX));
    if (entries.length === 0) break;
    await addJob(queue, { rainId, shard, from: at, entries }, again);
    sent += entries.length;
  }
  return sent;
}

function readFrom(redis: RedisClient): ReadLog {
  return (rainId, shard, from, to) => readEntries(redis, rainId, shard, from, to);
}

async function addJob(queue: CreditQueue, job: CreditJob, again?: string): Promise<void> {
  await queue.add('range', job, { jobId: creditJobId(job, again) });
}
