import { UnrecoverableError, type Job } from 'bullmq';
import { firstIdsOf } from '../credit/logEntries.ts';
import type { QueueOptions } from '../credit/queue.ts';
import { QueueWorker } from '../credit/queueWorker.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import type { Backoff } from '../platform/network/backoff.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import type { EndedOrder } from './endedOrders.ts';
import { ENDED_QUEUE, ENDED_RETRIES, endedJob, type EndedJob } from './endedQueue.ts';
import type { OrderService } from './orderService.ts';

interface EndedWorkerOptions extends QueueOptions {
  tell: NonNullable<OrderService['tell']>;
  /** Reads which of these orders have ended and may be told. */
  endedOf: (saleId: string, orderIds: readonly string[]) => Promise<EndedOrder[]>;
  log: Logger;
  backoff?: Backoff;
}

/**
 * Tells the shop of orders that have ended, until it has named each of them in an answer. The shop's answer changes no
 * order. A job only names them: their ends are read from the ledger, since anybody with a shell on Redis can add a job
 * [R14].
 */
export function startEndedWorker({
  connection,
  prefix,
  onError,
  tell,
  endedOf,
  log,
  backoff = ENDED_RETRIES,
}: EndedWorkerOptions) {
  const counters = { told: 0, untold: 0 };
  /** Reports the orders that may not be told. */
  async function confirmed(saleId: string, ended: EndedJob['ended']): Promise<EndedOrder[]> {
    const ids = ended.map(({ id }) => id);
    const found = await endedOf(saleId, ids);
    const unknown = ids.filter((id) => !found.some((order) => order.id === id));
    if (unknown.length > 0)
      log.error(
        { saleId, orders: unknown.length, orderIds: firstIdsOf(unknown, (id) => id) },
        'the queue of ended orders names orders that have not ended in the ledger: the shop was not told of them; somebody else writes to this Redis, or the ledger is older',
      );
    return found;
  }

  async function work(job: Job<EndedJob>): Promise<void> {
    const parsed = endedJob.safeParse(job.data);
    if (!parsed.success) throw new UnrecoverableError('not a job of ours');
    const { saleId } = parsed.data;
    const ended = await confirmed(saleId, parsed.data.ended);
    if (ended.length === 0) return;
    const outcomes = await tell(saleId, ended);
    const late = ended.filter((_, i) => outcomes[i]!.outcome === 'reconsumeLater');
    counters.told += ended.length - late.length;
    if (late.length === 0) return;
    // Named orders are told no more; a crash before this tells them again. Another one comes first, so that none
    // keeps the rest waiting.
    await job.updateData({ saleId, ended: [...late.slice(1), late[0]!] });
    const reason = outcomes.find((one) => one.outcome === 'reconsumeLater');
    throw new Error(reason?.detail);
  }

  const worker = new QueueWorker<EndedJob>(ENDED_QUEUE, work, { connection, prefix, onError, concurrency: 1, backoff });
  worker.on('failed', (job, error) => {
    const isOver = job === undefined || job.finishedOn !== undefined;
    const { saleId, ended = [] } = job?.data ?? {};
    if (isOver) counters.untold += ended.length;
    // Orders that are told no more are named nowhere else.
    const named = isOver ? ended : ended.slice(0, 5);
    log[isOver ? 'error' : 'warn'](
      {
        saleId,
        orders: ended.length,
        orderIds: named.map(({ id }) => id),
        attempt: job?.attemptsMade,
        reason: error.message,
      },
      isOver
        ? 'the shop was not told that orders have ended, and is told no more'
        : 'the shop is not told yet that orders have ended, will try again',
    );
  });
  return { counters, close: (withinMs: number) => deadlineIn(withinMs).within(worker.close()) };
}
