import type { DeadLetter } from './deadLetter.ts';
import { parseEntries, type LoggedClaim, type LostEntry } from './logEntries.ts';
import type { PayoutProvider } from './payoutProvider.ts';
import { postBisecting } from './bisect.ts';
import { creditJob, type CreditJob } from './job.ts';
import { scheduleRetry, type RetryJob, type ScheduleRetryOptions } from './scheduleRetry.ts';
import type { Claim } from '../rain/claim.ts';
import { firstRefusal, formatRefusal } from '../rain/refusal.ts';

/** What a range came to: claims whose money is with their users, entries that were dead-lettered, and claims that come again. */
export interface RangeReport {
  credited: number;
  dead: number;
  later: number;
}

export interface RangeParts extends ScheduleRetryOptions {
  balance: PayoutProvider;
  /** After the commit, never before it; called again when a later step failed. */
  onCredited(rainId: string, shard: number, claims: readonly Claim[]): Promise<void>;
  /** Keeps a letter once, however often it is handed in. */
  bury(letters: readonly DeadLetter[]): Promise<void>;
  /** Adds a job once, however often it is handed in while it is not done. */
  addLater(jobs: readonly RetryJob[]): Promise<void>;
}

/** The job does not say what it is about, and never will. */
export class JobMalformed extends Error {
  override name = 'JobMalformed';
}

/**
 * The credit worker's work on one job, as a pipe: open → parse → post → announce → bury → postpone. Each step may be repeated: a
 * fault in any of them repeats the whole, and what was done before is found done. So no step is skipped, and no money moves
 * twice [R5]. What is to come later is with the queue before this job is done: a crash in between makes it come twice, at most.
 *
 * @throws JobMalformed when there is nothing to repeat; anything else is a fault and a reason to try again
 */
export async function creditRange(id: string, data: unknown, parts: RangeParts): Promise<RangeReport> {
  const job = open(data);
  const { claims, lost } = parseEntries(job);
  const posted = await postBisecting(parts.balance, job.rainId, claims, job.later !== undefined);
  await announce(job, posted.committed, parts);
  const scheduled = scheduleRetry(id, job, posted.late, parts);
  const deadLettered = [...lost, ...posted.lost, ...scheduled.lost];
  await bury(job, deadLettered, parts);
  if (scheduled.jobs.length > 0) await parts.addLater(scheduled.jobs);
  return { credited: posted.committed.length, dead: deadLettered.length, later: posted.late.length - scheduled.lost.length };
}

function open(data: unknown): CreditJob {
  const parsed = creditJob.safeParse(data);
  if (parsed.success) return parsed.data;
  throw new JobMalformed(formatRefusal(firstRefusal(parsed.error, 'job')));
}

async function announce({ rainId, shard }: CreditJob, committed: readonly LoggedClaim[], { onCredited }: RangeParts): Promise<void> {
  if (committed.length > 0) await onCredited(rainId, shard, committed.map(({ claim }) => claim));
}

async function bury({ rainId, shard }: CreditJob, lost: readonly LostEntry[], { bury: keep }: RangeParts): Promise<void> {
  if (lost.length > 0) await keep(lost.map((entry) => ({ rainId, shard, ...entry })));
}
