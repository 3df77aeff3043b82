/** Every queue, in the order in which entries pass through them. `dead` and `ordersDead` hold dead letters. */
export const QUEUE_NAMES = ['credit', 'later', 'dead', 'orders', 'ordersLater', 'ordersEnded', 'ordersDead'] as const;
export type QueueName = (typeof QUEUE_NAMES)[number];

/** Whose jobs workers do and try again. */
export const WORKED_QUEUES = [
  'credit',
  'later',
  'orders',
  'ordersLater',
  'ordersEnded',
] as const satisfies readonly QueueName[];
export type WorkedQueue = (typeof WORKED_QUEUES)[number];

export const isWorked = (name: string): name is WorkedQueue => (WORKED_QUEUES as readonly string[]).includes(name);

/**
 * `idle`: nothing to do, and no worker, which is right where no shop is to be told · `no_worker`: no worker is
 * connected · `unknown`: Redis does not list its clients · `operator`: dead letters, which wait for an operator.
 */
export const QUEUE_STATES = ['working', 'paused', 'no_worker', 'idle', 'unknown', 'operator'] as const;
export type QueueState = (typeof QUEUE_STATES)[number];

/** States of jobs. `delayed`: tried again later · `failed`: given up. */
export const LISTED_STATES = ['delayed', 'failed'] as const;
export type ListedState = (typeof LISTED_STATES)[number];
