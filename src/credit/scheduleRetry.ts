import { createHash } from 'node:crypto';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { RETRY_AFTER_MS_MAX } from '../platform/network/retryAfter.ts';
import type { Late } from './bisect.ts';
import type { Later, Range } from './job.ts';
import type { Logged, Lost } from './logEntries.ts';
import type { RetryPolicy } from './retryPolicy.ts';

/** A job to be run later, and the id that a repetition would give it again. */
export interface RetryJob<Job> {
  id: string;
  data: Job & { later: Later };
  delayMs: number;
}

/** A job, and how jobs of its kind are called. */
interface FirstJob<Job> {
  id: string;
  data: Job;
  idOf: (job: Job, again: string) => string;
}

export interface ScheduleRetryOptions {
  retryPolicy: RetryPolicy;
  /** Epoch ms. */
  now: () => number;
  /** In [0, 1). */
  random: () => number;
}

/**
 * Schedules the entries of a job that were not accepted. Adjacent entries that wait about as long stay together in a
 * new job, so that the rest of the old job is done. Entries that were tried often or long enough are `lost` [R10].
 * @param first their job. A repetition of it gives the same entries the same ids
 */
export function scheduleRetry<Job extends Range>(
  first: FirstJob<Job>,
  late: readonly Late<Logged>[],
  { retryPolicy, now, random }: ScheduleRetryOptions,
): { jobs: RetryJob<Job>[]; lost: Lost<'unavailable'>[] } {
  const { later } = first.data;
  const attempts = (later?.attempts ?? 0) + 1;
  const since = later?.since ?? now();
  const elapsedMs = now() - since;
  if (attempts >= retryPolicy.attemptsMax || elapsedMs >= retryPolicy.totalMsMax) {
    const tried = attempts === 1 ? 'tried once' : `tried ${attempts} times in ${Math.round(elapsedMs / 1_000)} s`;
    return {
      jobs: [],
      lost: late.map(({ index, entry, detail }) => ({
        index,
        entry,
        reason: 'unavailable',
        detail: `${tried}; last answer: ${detail}`,
      })),
    };
  }
  const chain = later?.chain ?? createHash('sha256').update(first.id).digest('hex').slice(0, 8);
  const usualMs = delayBeforeRetry(attempts, retryPolicy, () => 1);
  const waitMs = (one: Late<Logged>) =>
    Math.max(Math.min(usualMs, longestMs(one, PAUSE_PARTS, retryPolicy)), requestedMs(one, retryPolicy));
  const jobs = neighbours(late, waitMs).map((run): RetryJob<Job> => {
    const data = {
      ...first.data,
      from: run[0]!.index,
      entries: run.map(({ entry }) => entry),
      later: { attempts, since, chain, detail: run[0]!.detail },
    };
    const pauseMs = Math.min(
      delayBeforeRetry(attempts, retryPolicy, random),
      ...run.map((one) => longestMs(one, PAUSE_PARTS, retryPolicy)),
    );
    return {
      id: first.idOf(data, `${chain}-${attempts}`),
      data,
      delayMs: Math.round(Math.max(pauseMs, ...run.map((one) => requestedMs(one, retryPolicy)))),
    };
  });
  return { jobs, lost: [] };
}

/**
 * A pause takes at most this part of the time in which an entry may still be accepted: one fourth, and half of it where
 * the other side asks for a pause.
 */
const PAUSE_PARTS = 4;
const REQUESTED_PARTS = 2;

/**
 * When the time of an entry is over, another process ends it any moment: so many first pauses later it is looked at
 * again.
 */
const OVER_PAUSES = 10;

function longestMs({ leftMs }: Late<Logged>, parts: number, { firstDelayMs }: RetryPolicy): number {
  if (leftMs === undefined) return Infinity;
  return leftMs > 0 ? Math.max(firstDelayMs, leftMs / parts) : OVER_PAUSES * firstDelayMs;
}

function requestedMs(one: Late<Logged>, retryPolicy: RetryPolicy): number {
  return Math.min(one.afterMs ?? 0, RETRY_AFTER_MS_MAX, longestMs(one, REQUESTED_PARTS, retryPolicy));
}

/** In one run nobody waits more than this many times as long as asked because of another entry. */
const WAITS_DIFFER = 2;

function neighbours(entries: readonly Late<Logged>[], waitMs: (entry: Late<Logged>) => number): Late<Logged>[][] {
  const runs: Late<Logged>[][] = [];
  let [least, most] = [0, 0];
  for (const late of entries) {
    const run = runs.at(-1);
    const ms = waitMs(late);
    [least, most] = [Math.min(least, ms), Math.max(most, ms)];
    if (run?.at(-1)!.index === late.index - 1 && most <= WAITS_DIFFER * least) {
      run!.push(late);
    } else {
      runs.push([late]);
      [least, most] = [ms, ms];
    }
  }
  return runs;
}
