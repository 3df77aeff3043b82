import type { CreditQueue } from '../../credit/queue.ts';
import type { Queues, QueueContext } from '../context.ts';

/** An operator context with both lanes of the credit queue: claims on their way are in one of them. */
export type RestoreContext = QueueContext & { queues: Queues & { later: CreditQueue } };
