import { randomUUID } from 'node:crypto';
import { createCreditQueue, createDeadQueue, createLaterQueue, type QueueOptions } from '../credit/queue.ts';
import { openEndedQueue } from '../orders/endedQueue.ts';
import { orderJobId } from '../orders/job.ts';
import { openOrderQueues } from '../orders/queue.ts';
import { QUEUE_PREFIX } from '../store/keys.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { lastLine } from '../platform/redis/unavailable.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { SendReservations } from '../operator/sale/repair.ts';
import type { SystemContext } from '../operator/system.ts';

export function openQueues(options: Omit<QueueOptions, 'prefix'>): SystemContext['queues'] {
  const prefixed = { ...options, prefix: QUEUE_PREFIX };
  const { orders, later: ordersLater, dead: ordersDead } = openOrderQueues(prefixed);
  return {
    credit: createCreditQueue(prefixed),
    later: createLaterQueue(prefixed),
    dead: createDeadQueue(prefixed),
    orders,
    ordersLater,
    ordersEnded: openEndedQueue(prefixed),
    ordersDead,
  };
}

/** Reads every queue, for `/readyz`. @throws Error with one sentence */
export async function askQueues(queues: SystemContext['queues']): Promise<void> {
  await Promise.all(Object.values(queues).map((queue) => queue.getJobCountByTypes('waiting'))).catch(
    (error: unknown) => {
      throw new Error(`the queues cannot be read: ${lastLine(error)}`, { cause: error });
    },
  );
}

/** On the context's own connection, whose commands have a deadline, because a user waits for the answer. */
export async function withQueues<T>(
  context: OperatorContext,
  verb: (context: SystemContext) => Promise<T>,
): Promise<T> {
  const queues = openQueues({ connection: context.redis, onError: () => {}, visiting: true });
  try {
    return await verb({ ...context, queues });
  } finally {
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
  }
}

/** Opens the queue of orders for those who send reservations to it once more. */
export function openOrderSending(
  connection: RedisClient,
  onError: (error: Error) => void,
): { send: SendReservations; close: () => Promise<unknown> } {
  const queues = openOrderQueues({ connection, prefix: QUEUE_PREFIX, onError, visiting: true });
  return {
    // The same range may have been sent before, and its job may still be known: this one is another.
    send: async (saleId, from, entries) =>
      void (await queues.orders.add(
        'range',
        { saleId, from, entries },
        { jobId: orderJobId({ saleId, from, entries }, randomUUID()) },
      )),
    close: () => Promise.all(Object.values(queues).map((queue) => queue.close())),
  };
}

/** Gives the verb a way to send reservations to the queue of orders once more. */
export async function withOrderQueue<T>(
  { redis }: OperatorContext,
  verb: (send: SendReservations) => Promise<T>,
): Promise<T> {
  const { send, close } = openOrderSending(redis, () => {});
  try {
    return await verb(send);
  } finally {
    await close();
  }
}
