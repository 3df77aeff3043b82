import { createCreditQueue, createDeadQueue, createLaterQueue, type QueueOptions } from '../credit/queue.ts';
import { QUEUE_PREFIX } from '../store/keys.ts';
import type { OperatorContext } from '../operator/context.ts';
import type { SystemContext } from '../operator/system.ts';

export function openQueues(options: Omit<QueueOptions, 'prefix'>): SystemContext['queues'] {
  const prefixed = { ...options, prefix: QUEUE_PREFIX };
  return { credit: createCreditQueue(prefixed), later: createLaterQueue(prefixed), dead: createDeadQueue(prefixed) };
}

/** On the context's own connection, whose commands have a deadline, because a user waits for the answer. */
export async function withQueues<T>(context: OperatorContext, verb: (context: SystemContext) => Promise<T>): Promise<T> {
  const queues = openQueues({ connection: context.redis, onError: () => {}, visiting: true });
  try {
    return await verb({ ...context, queues });
  } finally {
    await Promise.all(Object.values(queues).map((queue) => queue.close()));
  }
}
