import { createCreditQueue, createDeadQueue, createLaterQueue } from '../credit/queue.ts';
import { QUEUE_PREFIX } from '../store/keys.ts';
import type { OperatorContext, QueueContext } from '../operator/context.ts';
import type { SystemContext } from '../operator/system.ts';

/** On the context's own connection, whose commands have a deadline, because a user waits for the answer. */
function visiting({ redis }: OperatorContext) {
  return { connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true };
}

/** Runs an operator command with the queues open, and closes them in any case. */
export async function withQueues<T>(context: OperatorContext, verb: (context: QueueContext) => Promise<T>): Promise<T> {
  const options = visiting(context);
  const queues = { credit: createCreditQueue(options), dead: createDeadQueue(options) };
  try {
    return await verb({ ...context, queues });
  } finally {
    await Promise.all([queues.credit.close(), queues.dead.close()]);
  }
}

/** The same, with the queue of postponed jobs. */
export async function withLanes<T>(context: OperatorContext, verb: (context: SystemContext) => Promise<T>): Promise<T> {
  return withQueues(context, async (at) => {
    const later = createLaterQueue(visiting(context));
    try {
      return await verb({ ...at, queues: { ...at.queues, later } });
    } finally {
      await later.close();
    }
  });
}
