import { createHash } from 'node:crypto';
import { delayBeforeRetry } from '../platform/network/backoff.ts';
import { RETRY_AFTER_MS_MAX } from '../platform/network/retryAfter.ts';
import type { LostEntry } from './logEntries.ts';
import type { LateClaim } from './bisect.ts';
import { creditJobId, type CreditJob, type Later } from './job.ts';
import type { RetryPolicy } from './retryPolicy.ts';

/** A job to be run later, and the id that a repetition would give it again. */
export interface RetryJob {
  id: string;
  data: CreditJob & { later: Later };
  delayMs: number;
}

export interface ScheduleRetryOptions {
  retryPolicy: RetryPolicy;
  /** Epoch ms. */
  now: () => number;
  /** In [0, 1). */
  random: () => number;
}

/**
 * Schedules the claims of a job that the payout provider did not accept. Adjacent claims that wait about as long stay together in a new
 * job, so that the rest of the old job is done. Claims that were tried often or long enough are `lost` [R10].
 * @param jobId id of their job. A repetition of that job gives the same claims the same ids
 */
export function scheduleRetry(jobId: string, { rainId, shard, later }: CreditJob, late: readonly LateClaim[], { retryPolicy, now, random }: ScheduleRetryOptions): { jobs: RetryJob[]; lost: LostEntry[] } {
  const attempts = (later?.attempts ?? 0) + 1;
  const since = later?.since ?? now();
  const elapsedMs = now() - since;
  if (attempts >= retryPolicy.attemptsMax || elapsedMs >= retryPolicy.totalMsMax) {
    const tried = attempts === 1 ? 'tried once' : `tried ${attempts} times in ${Math.round(elapsedMs / 1_000)} s`;
    return { jobs: [], lost: late.map(({ index, entry, detail }) => ({ index, entry, reason: 'unavailable', detail: `${tried}; last answer: ${detail}` })) };
  }
  const chain = later?.chain ?? createHash('sha256').update(jobId).digest('hex').slice(0, 8);
  const usualMs = delayBeforeRetry(attempts, retryPolicy, () => 1);
  const waitMs = ({ afterMs = 0 }: LateClaim) => Math.max(usualMs, Math.min(afterMs, RETRY_AFTER_MS_MAX));
  const jobs = neighbours(late, waitMs).map((run): RetryJob => {
    const data = { rainId, shard, from: run[0]!.index, entries: run.map(({ entry }) => entry), later: { attempts, since, chain } };
    const requestedMs = Math.max(...run.map(({ afterMs = 0 }) => Math.min(afterMs, RETRY_AFTER_MS_MAX)));
    return { id: creditJobId(data, `${chain}-${attempts}`), data, delayMs: Math.max(requestedMs, delayBeforeRetry(attempts, retryPolicy, random)) };
  });
  return { jobs, lost: [] };
}

/** In one run nobody waits more than this many times as long as asked because of another claim. */
const WAITS_DIFFER = 2;

function neighbours(claims: readonly LateClaim[], waitMs: (claim: LateClaim) => number): LateClaim[][] {
  const runs: LateClaim[][] = [];
  let [least, most] = [0, 0];
  for (const claim of claims) {
    const run = runs.at(-1);
    const ms = waitMs(claim);
    [least, most] = [Math.min(least, ms), Math.max(most, ms)];
    if (run?.at(-1)!.index === claim.index - 1 && most <= WAITS_DIFFER * least) {
      run!.push(claim);
    } else {
      runs.push([claim]);
      [least, most] = [ms, ms];
    }
  }
  return runs;
}
