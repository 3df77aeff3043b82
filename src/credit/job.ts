import { createHash } from 'node:crypto';
import { z } from 'zod';
import { rainId } from '../rain/claim.ts';

/** One job is one transaction: long enough to be cheap, short enough to be repeated without regret. */
export const ENTRIES_MAX = 500;

/**
 * A contiguous range of one shard's claim log, carried in the job. `from` counts entries from the oldest, which is 0.
 * The entries are as the log has them: what is not a claim is found out by the worker, not by the relay.
 */
export const creditJob = z.object({
  rainId,
  shard: z.int().min(0),
  from: z.int().min(0),
  entries: z.array(z.string()).min(1).max(ENTRIES_MAX),
  /** Of claims that the balance system did not take yet, and that were split off from the job they came in. */
  later: z.object({
    /** How often they have been handed in. */
    attempts: z.int().min(1),
    /** Epoch ms of the first time. */
    since: z.int().min(0),
    /** Names the job that they came in first, so that two sendings of one range do not meet in one id. */
    chain: z.string(),
  }).optional(),
});
export type CreditJob = z.infer<typeof creditJob>;
export type Later = NonNullable<CreditJob['later']>;

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

/** Part of a shard's claim log: `from` inclusive, `to` exclusive. */
export interface EntryRange {
  rainId: string;
  shard: number;
  from: number;
  to: number;
}

/** What a job is about, by its id alone; `undefined`: this is no id of ours. */
export function rangeOfJobId(id: string): EntryRange | undefined {
  const match = /^([A-Za-z0-9_-]+(?:\.\d+)?)-(\d+)-(\d+)-(\d+)-[0-9a-f]{16}(-again-.+)?$/.exec(id);
  return match ? { rainId: match[1]!, shard: Number(match[2]), from: Number(match[3]), to: Number(match[4]) } : undefined;
}
