import { createHash, randomBytes } from 'node:crypto';
import type { JobsOptions, Queue } from 'bullmq';
import { z } from 'zod';
import { ENTRIES_MAX } from '../credit/job.ts';
import { createQueue, type QueueOptions } from '../credit/queue.ts';
import { userId } from '../rain/ids.ts';
import { reservationIdText, saleId } from '../sale/ids.ts';
import { ORDER_STATUSES } from '../sale/order.ts';

/** Orders of one sale that have ended, to be told to the shop. */
export const endedJob = z.object({
  saleId,
  ended: z
    .array(z.object({ id: reservationIdText, userId, status: z.enum(ORDER_STATUSES).exclude(['reserved']) }))
    .min(1)
    .max(ENTRIES_MAX),
});
export type EndedJob = z.infer<typeof endedJob>;
type Ended = EndedJob['ended'];

export const ENDED_QUEUE = 'orders-ended';
export type EndedQueue = Queue<EndedJob>;

/**
 * About two hours, and again when it is merged with others. Afterwards the end is told no more: the answer to a report
 * of the shop tells it, too.
 */
export const ENDED_RETRIES = { firstDelayMs: 500, delayMsMax: 60_000, attemptsMax: 160 } as const;
const JOB_OPTIONS: JobsOptions = {
  attempts: ENDED_RETRIES.attemptsMax,
  backoff: { type: 'capped' },
  removeOnComplete: true,
  removeOnFail: { count: 100 },
  stackTraceLimit: 1,
};

export const openEndedQueue = (options: QueueOptions): EndedQueue => createQueue(ENDED_QUEUE, JOB_OPTIONS, options);

/** The same orders are the same job: adding them again while it waits adds nothing. */
export function endedJobId(sale: string, ended: Ended): string {
  return idOf(
    sale,
    ended.length,
    createHash('sha256')
      .update(ended.map(({ id, status }) => `${id} ${status}`).join())
      .digest('hex')
      .slice(0, 32),
  );
}

/** Never the id of a job that was given up: then the queue would not take it, and its orders were lost. */
export function mergedJobId(sale: string, ended: Ended): string {
  return idOf(sale, ended.length, randomBytes(16).toString('hex'));
}

const idOf = (sale: string, orders: number, name: string): string => `ended-${sale}-${orders}-${name}`;

/** The sale of a job and how many orders it began with, without reading it. */
export function readEndedJobId(id: string): { saleId: string; orders: number } | undefined {
  const [, sale, orders] = /^ended-(.+)-(\d+)-[0-9a-f]{32}$/.exec(id) ?? [];
  return sale === undefined ? undefined : { saleId: sale, orders: Number(orders) };
}
