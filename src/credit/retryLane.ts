import type { Queue } from 'bullmq';
import type { RetryJob } from './scheduleRetry.ts';

/** @throws when the lane is full: then the whole job waits, and the relay with it [R10] */
export async function addRetryJobs<Job extends object>(
  lane: Queue<Job, unknown, string, Job, unknown, string>,
  jobs: readonly RetryJob<Job>[],
  jobsMax: number,
): Promise<void> {
  // Retried entries already have their place in this lane.
  const enter = jobs.some(({ data }) => data.later.attempts === 1);
  if (enter && (await lane.getJobCountByTypes('waiting', 'active', 'delayed')) >= jobsMax)
    throw new Error('the lane of entries to be retried is full');
  await lane.addBulk(
    jobs.map(({ id, data, delayMs }) => ({ name: 'range', data, opts: { jobId: id, delay: delayMs } })),
  );
}
