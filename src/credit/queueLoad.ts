import { creditJob } from './job.ts';
import type { CreditQueue } from './queue.ts';

/** Job states that are not done: waiting, active, delayed until the next attempt, given up. */
export const UNDONE = ['waiting', 'active', 'delayed', 'failed'] as const;

/** The jobs and claims of one rain in the queue. */
export interface QueueLoad {
  jobs: Record<(typeof UNDONE)[number], { jobs: number; claims: number }>;
  /** False: there were more jobs than one answer reads, and the figures are lower bounds. */
  complete: boolean;
}

/** The backlog at which the relay stops adding jobs; the claims wait in their log, where they cost nothing [R10]. */
export const WAITING_JOBS_MAX = 200;

/**
 * Jobs read at once, and the most that are read: a job holds up to 500 claims, and the relay lets no more pile up
 * [R10].
 */
const PAGE = 25;
const READ_MAX = 500;

export async function readLoad(queue: CreditQueue, rainId: string): Promise<QueueLoad> {
  const load: QueueLoad = {
    jobs: {
      waiting: { jobs: 0, claims: 0 },
      active: { jobs: 0, claims: 0 },
      delayed: { jobs: 0, claims: 0 },
      failed: { jobs: 0, claims: 0 },
    },
    complete: true,
  };
  for (const state of UNDONE) {
    let from = 0;
    for (; from < READ_MAX; from += PAGE) {
      const jobs = await queue.getJobs([state], from, from + PAGE - 1, true);
      for (const job of jobs) {
        const parsed = creditJob.safeParse(job?.data);
        if (!parsed.success || parsed.data.rainId !== rainId) continue;
        load.jobs[state].jobs++;
        load.jobs[state].claims += parsed.data.entries.length;
      }
      if (jobs.length < PAGE) break;
    }
    load.complete &&= from < READ_MAX;
  }
  return load;
}
