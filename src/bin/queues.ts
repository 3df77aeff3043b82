import { createCreditQueue, createDeadQueue, createLaterQueue } from '../credit/queue.ts';
import { QUEUE_PREFIX } from '../store/keys.ts';
import type { OperatorContext, QueueContext } from '../operator/context.ts';
import type { SystemContext } from '../operator/system.ts';

/** On the context's own connection, whose commands end: a person waits for the answer. */
function visiting({ redis }: OperatorContext) {
  return { connection: redis, prefix: QUEUE_PREFIX, onError: () => {}, visiting: true };
}

/** Runs a verb at an operator context from which the queues can be reached, and closes them whatever happens. */
export async function withQueues<T>(context: OperatorContext, verb: (context: QueueContext) => Promise<T>): Promise<T> {
  const options = visiting(context);
  const queues = { credit: createCreditQueue(options), dead: createDeadQueue(options) };
  try {
    return await verb({ ...context, queues });
  } finally {
    await Promise.all([queues.credit.close(), queues.dead.close()]);
  }
}

/** The same with the lane of what is put off. */
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
