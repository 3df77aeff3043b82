import { Queue, type JobsOptions } from 'bullmq';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { DeadLetter } from './deadLetter.ts';
import { dueJobs } from './delayedJobs.ts';
import { rangeOfJobId, type CreditJob, type EntryRange } from './job.ts';
import { JOB_RETRY_POLICY } from './retryPolicy.ts';

export const CREDIT_QUEUE = 'credit';
/** Claims that the payout provider did not accept yet. In a lane of their own they delay neither the relay nor other claims. */
export const LATER_QUEUE = 'credit-later';
/** Jobs in that lane. Beyond it most claims fail, not single ones: then whole jobs wait in `credit`, and the relay with them [R10]. */
export const LATER_JOBS_MAX = 2_000;
/** Holds dead letters until an operator removes them; no worker processes it. */
const DEAD_QUEUE = 'credit-dead';
/** The custom backoff of the worker, see retryPolicy.ts. */
const BACKOFF_TYPE = 'capped';

export type CreditQueue = Queue<CreditJob>;
export type DeadQueue = Queue<DeadLetter>;

export interface QueueOptions {
  /** With purpose `queue`. The caller closes it. */
  connection: RedisClient;
  /** QUEUE_PREFIX of store/keys.ts; in Redis Cluster it must hold a hash tag. */
  prefix: string;
  onError: (error: Error) => void;
  /** This process only reads or adds jobs: it does not write the queue's settings. */
  visiting?: boolean;
}

/** Ids read at once, per lane and state; a lane may exceed its limit a little when jobs are split [R10]. */
const PENDING_MAX = 10_000;

const CREDIT_OPTIONS: JobsOptions = {
  attempts: JOB_RETRY_POLICY.attemptsMax,
  backoff: { type: BACKOFF_TYPE },
  // A finished job carries up to 500 claims. It is only kept so that its id is not added again at once; the ledger's unique
  // keys are the guarantee [R5].
  removeOnComplete: { count: 50 },
  removeOnFail: false,
  stackTraceLimit: 1,
};

function createQueue(name: string, defaultJobOptions: JobsOptions, { connection, prefix, onError, visiting = false }: QueueOptions): Queue {
  const queue = new Queue(name, { connection, prefix, defaultJobOptions, skipMetasUpdate: visiting });
  return queue.on('error', onError);
}

/** Jobs of `credit`, added by the relay. */
export const createCreditQueue = (options: QueueOptions): CreditQueue => createQueue(CREDIT_QUEUE, CREDIT_OPTIONS, options);

/** Jobs of `credit-later`, added by the credit worker. A finished job is removed, so that its id can be used again. */
export const createLaterQueue = (options: QueueOptions): CreditQueue =>
  createQueue(LATER_QUEUE, { ...CREDIT_OPTIONS, removeOnComplete: true }, options);

/** Dead letters of `credit-dead`; each is a job that waits for the operator. */
export const createDeadQueue = (options: QueueOptions): DeadQueue =>
  createQueue(DEAD_QUEUE, { removeOnComplete: false, removeOnFail: false }, options);

/**
 * The ranges of all unfinished jobs.
 * @param lanes in the order in which claims pass through them, so that a job that moves meanwhile is seen twice, not missed
 */
export async function pendingRanges(redis: RedisClient, lanes: readonly CreditQueue[]): Promise<EntryRange[]> {
  const ranges: EntryRange[] = [];
  for (const lane of lanes) {
    // A job whose due time a worker never reaches counts as none: its claims are sent again.
    const ids = [...await lane.getRanges(['waiting', 'active'], 0, PENDING_MAX - 1), ...await dueJobs(redis, lane, PENDING_MAX)];
    ranges.push(...ids.flatMap((id) => rangeOfJobId(id) ?? []));
  }
  return ranges;
}
