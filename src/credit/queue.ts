import { Queue, type JobsOptions } from 'bullmq';
import type { RedisClient } from '../runtime/redis.ts';
import { ATTEMPTS_MAX } from './backoff.ts';
import type { DeadLetter } from './deadLetter.ts';
import type { CreditJob } from './job.ts';

export const CREDIT_QUEUE = 'credit';
/** Holds what could not be credited until an operator takes it out; nothing works on it. */
export const DEAD_QUEUE = 'credit-dead';
/** The custom backoff of the worker, see backoff.ts. */
export const BACKOFF_TYPE = 'capped';

export type CreditQueue = Queue<CreditJob>;
export type DeadQueue = Queue<DeadLetter>;

export interface QueueOptions {
  /** With purpose `queue`. It stays the caller's to end. */
  connection: RedisClient;
  /** QUEUE_PREFIX of grab/keys.ts; in Redis Cluster it must hold a hash tag. */
  prefix: string;
  onError: (error: Error) => void;
  /** Only looks in, or hands something in: leaves the queue's own settings unwritten. */
  visiting?: boolean;
}

const CREDIT_OPTIONS: JobsOptions = {
  attempts: ATTEMPTS_MAX,
  backoff: { type: BACKOFF_TYPE },
  // A done job carries up to 500 claims and is only kept so that its id is not added again at once; the ledger's unique
  // keys are the guarantee [R5].
  removeOnComplete: { count: 50 },
  removeOnFail: false,
  stackTraceLimit: 1,
};

/** Jobs of `credit`, added by the relay. */
export function createCreditQueue({ connection, prefix, onError, visiting = false }: QueueOptions): CreditQueue {
  const queue: CreditQueue = new Queue(CREDIT_QUEUE, { connection, prefix, defaultJobOptions: CREDIT_OPTIONS, skipMetasUpdate: visiting });
  queue.on('error', onError);
  return queue;
}

/** Letters of `credit-dead`, each a job that waits for a person. */
export function createDeadQueue({ connection, prefix, onError, visiting = false }: QueueOptions): DeadQueue {
  const queue: DeadQueue = new Queue(DEAD_QUEUE, { connection, prefix, defaultJobOptions: { removeOnComplete: false, removeOnFail: false }, skipMetasUpdate: visiting });
  queue.on('error', onError);
  return queue;
}
