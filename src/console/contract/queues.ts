import { z } from 'zod';
import { JOBS_PER_PAGE, PAGES_MAX } from '../../operator/queues/jobs.ts';
import { LISTED_STATES, QUEUE_NAMES, QUEUE_STATES, WORKED_QUEUES } from '../../operator/queues/names.ts';
import { count, time, type Endpoint } from './endpoint.ts';

/** The same fields as in `rain queues --json`. */
const queue = z.object({
  name: z.enum(QUEUE_NAMES),
  waiting: count,
  active: count,
  delayed: count.describe('To be tried again.'),
  failed: count.describe('Given up. Of `dead` and `ordersDead`: dead letters.'),
  state: z
    .enum(QUEUE_STATES)
    .describe(
      'no_worker: no worker is connected; idle: nothing to do, and no worker; unknown: Redis does not list its clients; operator: dead letters, which wait for an operator.',
    ),
  nextAt: time.optional().describe('When the next delayed job is tried again.'),
  oldestAt: time.optional().describe('When the oldest waiting job was added.'),
});

const job = z.object({
  id: z.string().describe('At most 200 characters.'),
  rainId: z.string().optional(),
  saleId: z.string().optional(),
  entries: count.optional().describe('Claims, reservations or orders in it. Absent: it is no job of ours.'),
  attempts: count.describe('So far.'),
  attemptsMax: count,
  error: z.string().optional().describe('The last one, as one line, without secrets, at most 300 characters.'),
  addedAt: time.optional().describe('When it was added, or when its entries were tried first.'),
  nextAt: time.optional().describe('Only of a delayed job.'),
});

const path = '/api/console/queues';
const tag = 'queues';

/**
 * The queues between Redis, the ledger and the shop. Read-only: a job added by hand would be a claim that nobody has
 * won.
 */
export const queuesApi = {
  list: {
    id: 'listQueues',
    method: 'GET',
    path,
    tag,
    summary: 'The queues: what waits, what is tried again, what was given up, and whether a worker is connected.',
    access: 'viewer',
    status: 200,
    answer: z.object({
      queues: z.array(queue),
      notQueued: z
        .object({ claims: count, reservations: count })
        .nullable()
        .describe(
          'Entries of the logs of live rains and sales that are in no queue yet. Null when a log cannot be read.',
        ),
    }),
  },
  jobs: {
    id: 'listQueueJobs',
    method: 'GET',
    path: `${path}/:name/jobs`,
    tag,
    summary: `Jobs of a queue that are tried again, the next one first, or that were given up, the latest first; ${JOBS_PER_PAGE} a page. Their entries are counted, not shown.`,
    access: 'viewer',
    params: z.strictObject({ name: z.enum(WORKED_QUEUES, `expected one of ${WORKED_QUEUES.join(', ')}`) }),
    query: z.strictObject({
      state: z.enum(LISTED_STATES, `expected one of ${LISTED_STATES.join(', ')}`).default('delayed'),
      page: z.coerce
        .number(`expected 1 to ${PAGES_MAX}`)
        .int('expected a whole number')
        .min(1, `expected 1 to ${PAGES_MAX}`)
        .max(PAGES_MAX, `expected 1 to ${PAGES_MAX}`)
        .default(1),
    }),
    status: 200,
    answer: z.object({ jobs: z.array(job).max(JOBS_PER_PAGE), page: count, pages: count, total: count }),
  },
} satisfies Record<string, Endpoint>;
