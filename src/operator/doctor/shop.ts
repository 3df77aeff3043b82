import { openEndedQueue } from '../../orders/endedQueue.ts';
import { openOrderQueues } from '../../orders/queue.ts';
import { iso } from '../../rain/figures.ts';
import { QUEUE_PREFIX } from '../../store/keys.ts';
import { redisNow } from '../../store/rains.ts';
import type { OperatorContext } from '../context.ts';
import { findOnShop as find, named, type Finding } from './finding.ts';

/** How long the end of an order may wait to be told before that is a warning, ms. */
const ENDED_MS_MAX = 60_000;

/** The faults in the orders of sales that are not settled; nothing where there are none. */
export async function examineShop(
  context: Pick<OperatorContext, 'redis' | 'ledger' | 'orderService'>,
): Promise<Finding[]> {
  const sales = (await context.ledger.sales(1_000, 'unsettled'))
    .filter(({ orderService, rehearsal }) => orderService === 'webhook' && !rehearsal)
    .map(({ id }) => id);
  const { letters, waiting } = await countJobs(context);
  const ended = await readEnded(context);
  const endedMs = ended.oldestAt === undefined ? 0 : (await redisNow(context.redis)) - ended.oldestAt;
  const isOurs = context.orderService !== 'webhook';
  return [
    ...(sales.length > 0
      ? [
          find(
            'service',
            isOurs ? 'warning' : 'ok',
            `${isOurs ? 'builtin' : 'webhook'}, and the shop keeps the orders of: ${named(sales)}`,
            'ORDER_SERVICE=webhook at the workers',
            'set ORDER_SERVICE=webhook, ORDER_WEBHOOK_URL and ORDER_WEBHOOK_SECRET for the workers: without them no order of these sales is told to the shop or to its buyer',
          ),
        ]
      : []),
    ...(waiting > 0
      ? [
          find(
            'waiting',
            'warning',
            `${waiting} job(s) of orders that the shop has not accepted`,
            'none',
            'see the log of the worker for the reason: orders not accepted yet',
          ),
        ]
      : []),
    ...(endedMs > ENDED_MS_MAX
      ? [
          find(
            'ended orders',
            'warning',
            `${ended.jobs} job(s) of orders that have ended, and that the shop has not confirmed, since ${iso(ended.oldestAt!)}`,
            `none for more than ${ENDED_MS_MAX / 1_000} s`,
            'see the log of the worker for the reason: the shop is not told yet that orders have ended; give the shop their status with: rain sale orders ID --csv',
          ),
        ]
      : []),
    ...(letters > 0
      ? [find('dead letters', 'warning', `${letters} of orders`, 'none', 'see what to do with: rain sale dead list')]
      : []),
  ];
}

async function countJobs({ redis }: Pick<OperatorContext, 'redis'>): Promise<{ letters: number; waiting: number }> {
  const queues = openOrderQueues({ connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  try {
    const [letters, waiting] = await Promise.all([
      queues.dead.getJobCountByTypes('waiting'),
      queues.later.getJobCountByTypes('waiting', 'active', 'delayed'),
    ]);
    return { letters, waiting };
  } finally {
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
  }
}

/**
 * The next and the last of the delayed jobs are looked at: a job that was tried often has the longest delay.
 */
async function readEnded({
  redis,
}: Pick<OperatorContext, 'redis'>): Promise<{ jobs: number; oldestAt: number | undefined }> {
  const queue = openEndedQueue({ connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true });
  try {
    const [jobs, ...some] = await Promise.all([
      queue.getJobCountByTypes('waiting', 'active', 'delayed'),
      queue.getJobs(['waiting'], 0, 0, true),
      queue.getJobs(['delayed'], 0, 0, true),
      queue.getJobs(['delayed'], 0, 0, false),
    ]);
    const times = some.flat().flatMap((job) => job?.timestamp ?? []);
    return { jobs, oldestAt: times.length === 0 ? undefined : Math.min(...times) };
  } finally {
    await queue.close();
  }
}
