import { Queue, type JobsOptions } from 'bullmq';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { DeadLetter } from './deadLetter.ts';
import { rangeOfJobId, type CreditJob, type EntryRange } from './job.ts';
import { JOB_RETRY_POLICY } from './retryPolicy.ts';

export const CREDIT_QUEUE = 'credit';
/**
 * Claims that the balance system did not take yet, each run of neighbours a job. A lane of its own: however many wait here,
 * and however slowly they are answered, they hold up neither the relay nor the others' claims.
 */
export const LATER_QUEUE = 'credit-later';
/** With so many jobs in that lane it is not single claims that fail: then whole jobs wait in `credit`, and the relay with them [R10]. */
export const LATER_JOBS_MAX = 2_000;
/** Holds what could not be credited until an operator takes it out; nothing works on it. */
const DEAD_QUEUE = 'credit-dead';
/** The custom backoff of the worker, see patience.ts. */
const BACKOFF_TYPE = 'capped';

export type CreditQueue = Queue<CreditJob>;
export type DeadQueue = Queue<DeadLetter>;

export interface QueueOptions {
  /** With purpose `queue`. It stays the caller's to end. */
  connection: RedisClient;
  /** QUEUE_PREFIX of store/keys.ts; in Redis Cluster it must hold a hash tag. */
  prefix: string;
  onError: (error: Error) => void;
  /** Only looks in, or hands something in: leaves the queue's own settings unwritten. */
  visiting?: boolean;
}

/** Ids read at once, per lane and state; a lane is a little over its bound when jobs are split further [R10]. */
const PENDING_MAX = 10_000;

const CREDIT_OPTIONS: JobsOptions = {
  attempts: JOB_RETRY_POLICY.attemptsMax,
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

/** Jobs of `credit-later`, added by the credit worker. One that is done leaves no trace: its id is free for a repetition. */
export function createLaterQueue({ connection, prefix, onError, visiting = false }: QueueOptions): CreditQueue {
  const queue: CreditQueue = new Queue(LATER_QUEUE, { connection, prefix, defaultJobOptions: { ...CREDIT_OPTIONS, removeOnComplete: true }, skipMetasUpdate: visiting });
  queue.on('error', onError);
  return queue;
}

/**
 * What the jobs that are not done yet are about.
 * @param lanes in the order in which claims go through them, so that one that moves on in between is seen twice, not missed
 */
export async function pendingRanges(lanes: readonly CreditQueue[]): Promise<EntryRange[]> {
  const ranges: EntryRange[] = [];
  for (const lane of lanes) {
    for (const id of await lane.getRanges(['waiting', 'active', 'delayed'], 0, PENDING_MAX - 1)) {
      const range = rangeOfJobId(id);
      if (range) ranges.push(range);
    }
  }
  return ranges;
}

/** Letters of `credit-dead`, each a job that waits for a person. */
export function createDeadQueue({ connection, prefix, onError, visiting = false }: QueueOptions): DeadQueue {
  const queue: DeadQueue = new Queue(DEAD_QUEUE, { connection, prefix, defaultJobOptions: { removeOnComplete: false, removeOnFail: false }, skipMetasUpdate: visiting });
  queue.on('error', onError);
  return queue;
}
