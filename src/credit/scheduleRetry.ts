import { createHash } from 'node:crypto';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { RETRY_AFTER_MS_MAX } from '../platform/network/retryable.ts';
import type { LostEntry } from './logEntries.ts';
import type { LateClaim } from './bisect.ts';
import { creditJobId, type CreditJob, type Later } from './job.ts';
import type { RetryPolicy } from './retryPolicy.ts';

/** A job to be worked on later, and the id under which a repetition finds it. */
export interface RetryJob {
  id: string;
  data: CreditJob & { later: Later };
  delayMs: number;
}

interface ScheduledRetries {
  jobs: RetryJob[];
  /** Whose time is over. */
  lost: LostEntry[];
}

export interface ScheduleRetryOptions {
  retryPolicy: RetryPolicy;
  /** Epoch ms. */
  now: () => number;
  /** In [0, 1). */
  random: () => number;
}

/**
 * What becomes of the claims of a job that the balance system did not take: neighbours stay together in a job of their own,
 * so that the rest of theirs is done; those that were handed in often and long enough are given up [R10].
 *
 * @param jobId of the job they came in. What a repetition of that job makes of the same claims has the same ids
 */
export function scheduleRetry(jobId: string, { rainId, shard, later }: CreditJob, late: readonly LateClaim[], { retryPolicy, now, random }: ScheduleRetryOptions): ScheduledRetries {
  const attempts = (later?.attempts ?? 0) + 1;
  const since = later?.since ?? now();
  const elapsedMs = now() - since;
  if (attempts >= retryPolicy.attemptsMax || elapsedMs >= retryPolicy.totalMsMax) {
    const tried = attempts === 1 ? 'handed in once' : `handed in ${attempts} times in ${Math.round(elapsedMs / 1_000)} s`;
    return { jobs: [], lost: late.map(({ index, entry, detail }) => ({ index, entry, reason: 'unavailable', detail: `${tried}; at last: ${detail}` })) };
  }
  const chain = later?.chain ?? createHash('sha256').update(jobId).digest('hex').slice(0, 8);
  const jobs = neighbours(late).map((run): RetryJob => {
    const data = { rainId, shard, from: run[0]!.index, entries: run.map(({ entry }) => entry), later: { attempts, since, chain } };
    const askedMs = Math.max(...run.map(({ afterMs = 0 }) => Math.min(afterMs, RETRY_AFTER_MS_MAX)));
    return { id: creditJobId(data, `${chain}-${attempts}`), data, delayMs: Math.max(askedMs, delayBeforeRetry(attempts, retryPolicy, random)) };
  });
  return { jobs, lost: [] };
}

function neighbours(claims: readonly LateClaim[]): LateClaim[][] {
  const runs: LateClaim[][] = [];
  for (const claim of claims) {
    const run = runs.at(-1);
    if (run?.at(-1)!.index === claim.index - 1) run!.push(claim);
    else runs.push([claim]);
  }
  return runs;
}
