import { creditJob } from './job.ts';
import type { CreditQueue } from './queue.ts';

/** Jobs that are not done: in line, at work, waiting for their next attempt, given up. */
export const UNDONE = ['waiting', 'active', 'delayed', 'failed'] as const;

/** What the queue carries of one rain. */
export interface QueueLoad {
  jobs: Record<(typeof UNDONE)[number], { jobs: number; claims: number }>;
  /** False: there were more jobs than are read for one answer, and the figures are the least. */
  complete: boolean;
}

/** The backlog at which the relay stops adding jobs; the claims wait in their log, where they cost nothing [R10]. */
export const WAITING_JOBS_MAX = 200;

/** A job holds up to 500 claims, so few are read at once, and not more than the relay lets pile up [R10]. */
const PAGE = 25;
const READ_MAX = 500;

export async function readLoad(queue: CreditQueue, rainId: string): Promise<QueueLoad> {
  const load: QueueLoad = { jobs: { waiting: { jobs: 0, claims: 0 }, active: { jobs: 0, claims: 0 }, delayed: { jobs: 0, claims: 0 }, failed: { jobs: 0, claims: 0 } }, complete: true };
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
