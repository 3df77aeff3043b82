import { createHash } from 'node:crypto';
import { z } from 'zod';
import { rainId } from '../rain/ids.ts';

/** Entries of one job, which is one transaction: long enough to be cheap, short enough to be repeated. */
export const ENTRIES_MAX = 500;

/**
 * A contiguous range of one log, carried in the job. `from` counts entries from the oldest, which is 0. The entries are
 * unchanged: the worker validates them, not the relay.
 */
export const range = z.object({
  from: z.int().min(0),
  entries: z.array(z.string()).min(1).max(ENTRIES_MAX),
  /** Only for entries that the other side did not accept yet. They were split off from their first job. */
  later: z
    .object({
      /** How often they have been posted. */
      attempts: z.int().min(1),
      /** Epoch ms of the first time. */
      since: z.int().min(0),
      /** Identifies their first job, so that two deliveries of one range get different ids. */
      chain: z.string(),
      /** The last answer of the other side. */
      detail: z.string().optional(),
    })
    .optional(),
});
export type Range = z.infer<typeof range>;
export type Later = NonNullable<Range['later']>;

/** A range of one shard's claim log. */
export const creditJob = range.extend({ rainId, shard: z.int().min(0) });
export type CreditJob = z.infer<typeof creditJob>;

export function creditJobId(job: CreditJob, again?: string): string {
  return rangeJobId(`${job.rainId}-${job.shard}`, job, again);
}

/**
 * The id covers the range and its content, so that adding it again while the job is known adds nothing. After a
 * failover the log may hold other entries at the same position: they get another id, otherwise the queue would treat
 * them as done.
 * @param again distinguishes deliberate repetitions
 */
export function rangeJobId(log: string, { from, entries }: Range, again?: string): string {
  const hash = createHash('sha256');
  for (const entry of entries) hash.update(`${entry.length}:${entry}`);
  const id = `${log}-${from}-${from + entries.length}-${hash.digest('hex').slice(0, 16)}`;
  return again === undefined ? id : `${id}-again-${again}`;
}

/** Whether this may be the id of a job of ours, of whatever log. */
export function isRangeJobId(id: string): boolean {
  return /^[A-Za-z0-9_.-]+-\d+-\d+-[0-9a-f]{16}(-again-.+)?$/.test(id);
}

/** Part of a shard's claim log: `from` inclusive, `to` exclusive. */
export interface EntryRange {
  rainId: string;
  shard: number;
  from: number;
  to: number;
}

/** The range of a job, from its id alone; `undefined`: not an id of ours. */
export function rangeOfJobId(id: string): EntryRange | undefined {
  const match = /^([A-Za-z0-9_-]+(?:\.\d+)?)-(\d+)-(\d+)-(\d+)-[0-9a-f]{16}(-again-.+)?$/.exec(id);
  return match
    ? { rainId: match[1]!, shard: Number(match[2]), from: Number(match[3]), to: Number(match[4]) }
    : undefined;
}
