import { UNDONE } from '../../credit/queueLoad.ts';
import type { CreditQueue } from '../../credit/queue.ts';
import type { EndedQueue } from '../../orders/endedQueue.ts';
import type { Queues, SaleQueues } from '../context.ts';

/** Every queue of the system. */
export type AllQueues = Queues & SaleQueues & { later: CreditQueue; ordersEnded: EndedQueue };

/** Jobs by state: waiting, active, delayed until the next attempt, given up. */
export type Lane = Record<(typeof UNDONE)[number], number>;

export async function readLane(queue: Pick<CreditQueue, 'getJobCounts'>): Promise<Lane> {
  const { waiting = 0, active = 0, delayed = 0, failed = 0 } = await queue.getJobCounts(...UNDONE);
  return { waiting, active, delayed, failed };
}
