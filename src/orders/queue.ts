import type { Queue } from 'bullmq';
import {
  createLetterQueue,
  createRangeQueue,
  createRetryQueue,
  pendingJobIds,
  type QueueOptions,
} from '../credit/queue.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { OrderLetter } from './deadLetter.ts';
import { rangeOfOrderJobId, type OrderJob, type ReservationRange } from './job.ts';

export const ORDER_QUEUE = 'orders';
/** Orders that the order service did not accept yet. */
export const ORDER_LATER_QUEUE = 'orders-later';
/**
 * Holds dead letters until an operator removes them; no worker processes it. Dead letters of claims have a queue of
 * their own.
 */
const ORDER_DEAD_QUEUE = 'orders-dead';

type OrderQueue = Queue<OrderJob>;
export type OrderDeadQueue = Queue<OrderLetter>;

export interface OrderQueues {
  orders: OrderQueue;
  later: OrderQueue;
  dead: OrderDeadQueue;
}

export function openOrderQueues(options: QueueOptions): OrderQueues {
  return {
    orders: createRangeQueue(ORDER_QUEUE, options),
    later: createRetryQueue(ORDER_LATER_QUEUE, options),
    dead: createLetterQueue(ORDER_DEAD_QUEUE, options),
  };
}

/**
 * The ranges of all unfinished jobs, in the order in which reservations pass through them, so that a job that moves
 * meanwhile is seen twice, not missed.
 */
export async function pendingReservations(
  redis: RedisClient,
  { orders, later }: Pick<OrderQueues, 'orders' | 'later'>,
): Promise<ReservationRange[]> {
  return (await pendingJobIds(redis, [orders, later])).flatMap((id) => rangeOfOrderJobId(id) ?? []);
}
