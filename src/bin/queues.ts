import { createCreditQueue, createDeadQueue } from '../credit/queue.ts';
import { QUEUE_PREFIX } from '../grab/keys.ts';
import type { Desk, QueueDesk } from '../operator/desk.ts';

/** Runs a verb at a desk from which the queues can be reached, and closes them whatever happens. */
export async function withQueues<T>(desk: Desk, verb: (desk: QueueDesk) => Promise<T>): Promise<T> {
  // On the desk's own connection, whose commands end: a person waits for the answer.
  const options = { connection: desk.redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true };
  const queues = { credit: createCreditQueue(options), dead: createDeadQueue(options) };
  try {
    return await verb({ ...desk, queues });
  } finally {
    await Promise.all([queues.credit.close(), queues.dead.close()]);
  }
}
