import type { DeadLetter } from './deadLetter.ts';
import { parseEntries } from './logEntries.ts';
import type { PayoutProvider } from './payoutProvider.ts';
import { postBisecting } from './bisect.ts';
import { creditJob, creditJobId, type CreditJob } from './job.ts';
import { openJob } from './openJob.ts';
import { scheduleRetry, type RetryJob, type ScheduleRetryOptions } from './scheduleRetry.ts';
import type { Claim } from '../rain/claim.ts';

/** The result of one range: credited claims, dead-lettered entries, and claims that will be retried. */
export interface RangeReport {
  credited: number;
  dead: number;
  later: number;
}

export interface RangeDependencies extends ScheduleRetryOptions {
  balance: PayoutProvider;
  /** Called after the commit, never before; called again when a later step fails. */
  onCredited(rainId: string, shard: number, claims: readonly Claim[]): Promise<void>;
  /** Adds a dead letter once, however often it is passed in. */
  deadLetter(letters: readonly DeadLetter[]): Promise<void>;
  /** Adds a job once, however often it is passed in before it is done. */
  addLater(jobs: readonly RetryJob<CreditJob>[]): Promise<void>;
}

/**
 * The credit worker's work on one job, as a pipe: open → parse → post → announce → dead-letter → schedule retries. A
 * fault in any step repeats the whole, and finished work is found done: no step is skipped, and no money moves twice
 * [R5]. Retries are in the queue before this job is done: a crash in between makes them run twice, at most.
 * @throws UnrecoverableError when the job is invalid, which a retry cannot change; any other error is a fault to retry
 */
export async function creditRange(id: string, data: unknown, parts: RangeDependencies): Promise<RangeReport> {
  const job = openJob(creditJob, data);
  const { claims, lost } = parseEntries(job);
  const posted = await postBisecting(parts.balance, job.rainId, claims, job.later !== undefined);
  if (posted.committed.length > 0)
    await parts.onCredited(
      job.rainId,
      job.shard,
      posted.committed.map(({ claim }) => claim),
    );
  const scheduled = scheduleRetry({ id, data: job, idOf: creditJobId }, posted.late, parts);
  const deadLettered = [...lost, ...posted.lost, ...scheduled.lost];
  if (deadLettered.length > 0)
    await parts.deadLetter(deadLettered.map((entry) => ({ rainId: job.rainId, shard: job.shard, ...entry })));
  if (scheduled.jobs.length > 0) await parts.addLater(scheduled.jobs);
  return {
    credited: posted.committed.length,
    dead: deadLettered.length,
    later: posted.late.length - scheduled.lost.length,
  };
}
