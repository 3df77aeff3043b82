import { createCreditQueue, createDeadQueue, createLaterQueue } from '../credit/queue.ts';
import { QUEUE_PREFIX } from '../grab/keys.ts';
import type { Desk, QueueDesk } from '../operator/desk.ts';
import type { SystemDesk } from '../operator/system.ts';

/** On the desk's own connection, whose commands end: a person waits for the answer. */
function visiting({ redis }: Desk) {
  return { connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true };
}

/** Runs a verb at a desk from which the queues can be reached, and closes them whatever happens. */
export async function withQueues<T>(desk: Desk, verb: (desk: QueueDesk) => Promise<T>): Promise<T> {
  const options = visiting(desk);
  const queues = { credit: createCreditQueue(options), dead: createDeadQueue(options) };
  try {
    return await verb({ ...desk, queues });
  } finally {
    await Promise.all([queues.credit.close(), queues.dead.close()]);
  }
}

/** The same with the lane of what is put off. */
export async function withLanes<T>(desk: Desk, verb: (desk: SystemDesk) => Promise<T>): Promise<T> {
  return withQueues(desk, async (at) => {
    const later = createLaterQueue(visiting(desk));
    try {
      return await verb({ ...at, queues: { ...at.queues, later } });
    } finally {
      await later.close();
    }
  });
}
