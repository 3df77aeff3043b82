import { createHash } from 'node:crypto';
import { z } from 'zod';
import { rainId } from '../rain/claim.ts';

/** One job is one transaction: long enough to be cheap, short enough to be repeated without regret. */
export const ENTRIES_MAX = 500;

/**
 * A contiguous range of one shard's claim log, carried in the job. `from` counts entries from the oldest, which is 0.
 * The entries are as the log has them: what is not a claim is found out by the worker, not by the carrier.
 */
export const creditJob = z.object({
  rainId,
  shard: z.int().min(0),
  from: z.int().min(0),
  entries: z.array(z.string()).min(1).max(ENTRIES_MAX),
});
export type CreditJob = z.infer<typeof creditJob>;

/**
 * Names the range and what is in it, so that carrying it again while the job is still known adds no second one. After a
 * failover the log may hold other claims at the same place: those are another job, or the queue would take them for done.
 * BullMQ takes no id with `:` and no integer.
 *
 * @param again tells one deliberate repetition from another
 */
export function creditJobId({ rainId, shard, from, entries }: CreditJob, again?: string): string {
  const hash = createHash('sha256');
  for (const entry of entries) hash.update(`${entry.length}:${entry}`);
  const range = `${rainId}-${shard}-${from}-${from + entries.length}-${hash.digest('hex').slice(0, 16)}`;
  return again === undefined ? range : `${range}-again-${again}`;
}
