import { isDeepStrictEqual } from 'node:util';
import { ENTRIES_MAX } from '../credit/job.ts';
import { removeJob, type Removing } from '../credit/queue.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BookedOrder } from '../ledger/orders.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { holdsUnits } from '../sale/order.ts';
import { endedJob, endedJobId, type EndedQueue } from './endedQueue.ts';
import { inParts, mergeEnded, type MergedQueue } from './mergeEnded.ts';

/**
 * An order that has ended: it was cancelled, timed out, failed, or was refunded. None of them ever takes another step.
 */
export type EndedOrder = Pick<BookedOrder, 'id' | 'userId' | 'status'>;

/**
 * Jobs that wait at most, most of them with 250 orders or more. Beyond it the shop has been mute for long, and no more
 * ends are remembered for it [R10].
 */
const JOBS_MAX = 1_000;
/** From so many jobs on, small ones are merged: before, the shop only answers slowly. */
const MERGES_FROM = 100;
/** Small jobs of one sale that are worth it, as long as there is room. */
const MERGED_MIN = 20;
/** Sales whose order service is cached [R10]. */
const KNOWN_MAX = 1_000;

type EndedJobs = Pick<EndedQueue, 'getJobCountByTypes' | 'getJobState'> & MergedQueue & Removing;

interface EndedOrdersOptions {
  queue: EndedJobs;
  ledger: Pick<Ledger, 'sale'>;
  log: Logger;
  jobsMax?: number;
}

/** Whether the shop is told of the orders of a sale: it is one of its own, and no rehearsal. */
function toldSales(ledger: Pick<Ledger, 'sale'>): (sale: string) => Promise<boolean> {
  const known = new Map<string, boolean>();
  return async (sale) => {
    const before = known.get(sale);
    if (before !== undefined) return before;
    const booked = await ledger.sale(sale);
    if (!booked) return false;
    if (known.size >= KNOWN_MAX) known.clear();
    const told = booked.orderService === 'webhook' && booked.rehearsal !== true;
    known.set(sale, told);
    return told;
  };
}

/** Reads from the ledger those of some orders of a sale that have ended, and of which a shop is told, in their order. */
export function endedInLedger(ledger: Pick<Ledger, 'orders' | 'sale'>) {
  const isTold = toldSales(ledger);
  return async (saleId: string, orderIds: readonly string[]): Promise<EndedOrder[]> => {
    const orders = (await isTold(saleId)) ? await ledger.orders({ ids: orderIds }, orderIds.length) : [];
    const booked = new Map(orders.map((order) => [order.id, order]));
    return orderIds.flatMap((id): EndedOrder[] => {
      const order = booked.get(id);
      return order?.saleId === saleId && !holdsUnits(order.status)
        ? [{ id, userId: order.userId, status: order.status }]
        : [];
    });
  };
}

/**
 * Somebody who writes a job's key before us would keep it out of the queue, since BullMQ takes it for a job that is
 * there: one that names other orders, or is in no list, is removed.
 */
async function addJobs(queue: EndedJobs, saleId: string, parts: readonly EndedOrder[][]): Promise<void> {
  const jobs = parts.map((ended) => ({
    name: 'ended',
    data: { saleId, ended },
    opts: { jobId: endedJobId(saleId, ended) },
  }));
  for (const { data, opts } of jobs) {
    const there = await queue.getJob(opts.jobId).catch(() => 'foreign' as const);
    if (there === undefined) continue;
    const isOurs = there !== 'foreign' && isDeepStrictEqual(endedJob.safeParse(there.data).data, data);
    if (!isOurs || (await queue.getJobState(opts.jobId)) === 'unknown') await removeJob(queue, opts.jobId);
  }
  await queue.addBulk(jobs);
}

/**
 * Queues what the shop has to be told of orders that the ledger has ended. Adding the same again while it waits adds
 * nothing.
 */
export function endedOrders({ queue, ledger, log, jobsMax = JOBS_MAX }: EndedOrdersOptions) {
  const counters = { untold: 0 };
  const isTold = toldSales(ledger);
  let merging: Promise<void> | undefined;

  const countJobs = (): Promise<number> => queue.getJobCountByTypes('waiting', 'active', 'delayed');

  /** A round of the follower adds a few orders at a time: without merging, minutes of silence would use up all jobs. */
  async function isFull(): Promise<boolean> {
    const jobs = await countJobs();
    if (jobs < Math.min(MERGES_FROM, jobsMax)) return false;
    merging ??= mergeEnded(queue, jobsMax, jobs < jobsMax ? MERGED_MIN : 2).finally(() => {
      merging = undefined;
    });
    await merging;
    return jobs >= jobsMax && (await countJobs()) >= jobsMax;
  }

  return {
    counters,
    async add(sale: string, orders: readonly EndedOrder[]): Promise<void> {
      const ended = orders
        .filter(({ status }) => !holdsUnits(status))
        .map(({ id, userId: user, status }) => ({ id, userId: user, status }));
      if (ended.length === 0 || !(await isTold(sale))) return;
      const parts = inParts(ended, ENTRIES_MAX);
      if (!(await isFull())) return addJobs(queue, sale, parts);
      counters.untold += ended.length;
      // Each by its id: it is nowhere else, and the shop has to ask for it.
      for (const part of parts) {
        log.error(
          {
            saleId: sale,
            orders: part.length,
            orderIds: part.map(({ id }) => id),
            reason: `${jobsMax} jobs of ended orders wait already`,
          },
          'the shop was not told that orders have ended, and is told no more',
        );
      }
    },
  };
}
