import type { Job, Queue } from 'bullmq';
import { countDue, dueTimes } from '../../credit/delayedJobs.ts';
import { creditJob, type Later } from '../../credit/job.ts';
import { CLAIM_RETRY_POLICY, ORDER_RETRY_POLICY } from '../../credit/retryPolicy.ts';
import { endedJob } from '../../orders/endedQueue.ts';
import { orderJob } from '../../orders/job.ts';
import { errorLine } from '../../platform/telemetry/errorLine.ts';
import { iso } from '../../rain/figures.ts';
import type { SystemContext } from '../system.ts';
import type { ListedState, WorkedQueue } from './names.ts';

/** A job as people see it: its entries are counted, not shown. */
interface JobView {
  id: string;
  rainId?: string;
  saleId?: string;
  /** Claims, reservations or orders; absent: this is no job of ours. */
  entries?: number;
  /** Attempts so far, and how many there are at most. */
  attempts: number;
  attemptsMax: number;
  error?: string;
  addedAt?: string;
  /** The next try of a delayed job. */
  nextAt?: string;
}

export interface JobPage {
  jobs: JobView[];
  page: number;
  pages: number;
  /** Jobs in this state. */
  total: number;
}

export const JOBS_PER_PAGE = 50;
export const PAGES_MAX = 1_000;
/** Read at once: a job holds up to 500 entries [R10]. */
const READ_AT_ONCE = 10;
const ID_CHARACTERS_MAX = 200;

/** Delayed jobs: the next one first. Failed jobs: the latest first. */
export async function listQueueJobs(
  { redis, queues }: Pick<SystemContext, 'redis' | 'queues'>,
  name: WorkedQueue,
  state: ListedState,
  page: number,
): Promise<JobPage> {
  const queue = queues[name] as Queue;
  const from = (page - 1) * JOBS_PER_PAGE;
  const [total, found] = await Promise.all(
    state === 'delayed'
      ? [countDue(redis, queue), dueTimes(redis, queue, from, JOBS_PER_PAGE)]
      : [
          queue.getJobCountByTypes('failed'),
          queue
            .getRanges(['failed'], from, from + JOBS_PER_PAGE - 1)
            .then((ids) => ids.map((id) => ({ id, dueAt: undefined }))),
        ],
  );
  const jobs: JobView[] = [];
  for (let at = 0; at < found.length; at += READ_AT_ONCE) {
    const read = await Promise.all(
      found.slice(at, at + READ_AT_ONCE).map(async ({ id, dueAt }) => {
        const job = await readJob(queue, id);
        return job && { ...view(name, id, job), ...(dueAt !== undefined && { nextAt: iso(dueAt) }) };
      }),
    );
    jobs.push(...read.filter((one) => one !== undefined));
  }
  return { jobs, page, pages: Math.min(PAGES_MAX, Math.max(1, Math.ceil(total / JOBS_PER_PAGE))), total };
}

/** @returns undefined when the job is gone, `unreadable` when somebody has written something else in its place */
const readJob = (queue: Queue, id: string): Promise<Job | 'unreadable' | undefined> =>
  queue.getJob(id).catch((error: unknown) => {
    if (error instanceof SyntaxError || String(error).includes('WRONGTYPE')) return 'unreadable' as const;
    throw error;
  });

function view(name: WorkedQueue, id: string, job: Job | 'unreadable'): JobView {
  const shown = id.slice(0, ID_CHARACTERS_MAX);
  if (job === 'unreadable') return { id: shown, attempts: 0, attemptsMax: 0 };
  const { later, ...about } = contentOf(name, job.data);
  // A fault of the job comes after the answers for its entries, and has attempts of its own.
  const ofEntries = later !== undefined && job.attemptsMade === 0;
  const addedAt = later?.since ?? job.timestamp;
  const error = errorLine((ofEntries ? later.detail : job.failedReason) ?? '');
  return {
    id: shown,
    ...about,
    ...(Number.isFinite(addedAt) && { addedAt: iso(addedAt) }),
    ...(error !== '' && { error }),
    ...(ofEntries
      ? {
          attempts: later.attempts,
          attemptsMax: (about.rainId === undefined ? ORDER_RETRY_POLICY : CLAIM_RETRY_POLICY).attemptsMax,
        }
      : { attempts: job.attemptsMade, attemptsMax: job.opts.attempts ?? 1 }),
  };
}

function contentOf(
  name: WorkedQueue,
  data: unknown,
): Pick<JobView, 'rainId' | 'saleId' | 'entries'> & { later?: Later | undefined } {
  if (name === 'ordersEnded') {
    const parsed = endedJob.safeParse(data);
    return parsed.success ? { saleId: parsed.data.saleId, entries: parsed.data.ended.length } : {};
  }
  const parsed = (name === 'credit' || name === 'later' ? creditJob : orderJob).safeParse(data);
  if (!parsed.success) return {};
  const { entries, later, ...about } = parsed.data;
  return {
    ...('rainId' in about ? { rainId: about.rainId } : { saleId: about.saleId }),
    entries: entries.length,
    later,
  };
}
