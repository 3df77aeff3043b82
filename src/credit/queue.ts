import { Queue, type JobsOptions } from 'bullmq';
import type { RedisClient } from '../platform/redis/connect.ts';
import { bullOptions } from './bullOptions.ts';
import type { DeadLetter } from './deadLetter.ts';
import { dueJobs } from './delayedJobs.ts';
import { rangeOfJobId, type CreditJob, type EntryRange } from './job.ts';
import { JOB_RETRY_POLICY } from './retryPolicy.ts';

export const CREDIT_QUEUE = 'credit';
/**
 * Claims that the payout provider did not accept yet. In a lane of their own they delay neither the relay nor other
 * claims.
 */
export const LATER_QUEUE = 'credit-later';
/**
 * Jobs in that lane. Beyond it most claims fail, not single ones: then whole jobs wait in `credit`, and the relay with
 * them [R10].
 */
export const LATER_JOBS_MAX = 2_000;
/** Holds dead letters until an operator removes them; no worker processes it. */
const DEAD_QUEUE = 'credit-dead';
/** The custom backoff of the worker, see retryPolicy.ts. */
const BACKOFF_TYPE = 'capped';

/** A queue as the relay sees it. */
export interface JobQueue<Job> {
  add(name: string, job: Job, options: { jobId: string }): Promise<unknown>;
  getJobCountByTypes(...states: ('waiting' | 'delayed')[]): Promise<number>;
}

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

const RANGE_OPTIONS: JobsOptions = {
  attempts: JOB_RETRY_POLICY.attemptsMax,
  backoff: { type: BACKOFF_TYPE },
  // A finished job carries up to 500 entries. It is only kept so that its id is not added again at once; the ledger's
  // unique keys are the guarantee [R5].
  removeOnComplete: { count: 50 },
  removeOnFail: false,
  stackTraceLimit: 1,
};

/** Every queue is made here. */
export function createQueue<Data>(name: string, defaultJobOptions: JobsOptions, options: QueueOptions): Queue<Data> {
  const queue = new Queue<Data>(name, {
    ...bullOptions(options),
    defaultJobOptions,
    skipMetasUpdate: options.visiting ?? false,
  });
  return queue.on('error', options.onError);
}

/** Ranges of a log, added by a relay. */
export const createRangeQueue = (name: string, options: QueueOptions): Queue =>
  createQueue(name, RANGE_OPTIONS, options);

/** Ranges that are retried, added by a worker. A finished job is removed, so that its id can be used again. */
export const createRetryQueue = (name: string, options: QueueOptions): Queue =>
  createQueue(name, { ...RANGE_OPTIONS, removeOnComplete: true }, options);

/** Dead letters; each is a job that waits for the operator. */
export const createLetterQueue = (name: string, options: QueueOptions): Queue =>
  createQueue(name, { removeOnComplete: false, removeOnFail: false }, options);

export const createCreditQueue = (options: QueueOptions): CreditQueue => createRangeQueue(CREDIT_QUEUE, options);
export const createLaterQueue = (options: QueueOptions): CreditQueue => createRetryQueue(LATER_QUEUE, options);
export const createDeadQueue = (options: QueueOptions): DeadQueue => createLetterQueue(DEAD_QUEUE, options);

/** A queue from which jobs can be removed. */
export interface Removing {
  remove(jobId: string): Promise<unknown>;
  toKey(name: string): string;
  opts: { connection?: unknown };
}

/** Removes a job that is not worked on, or what somebody else has written in its place, of any type. */
export async function removeJob(queue: Removing, jobId: string): Promise<void> {
  await queue.remove(jobId).catch(async (error: unknown) => {
    if (!String(error).includes('WRONGTYPE')) throw error;
    await (queue.opts.connection as RedisClient).del(queue.toKey(jobId));
  });
}

/**
 * The ranges of all unfinished credit jobs.
 * @param lanes in the order in which claims pass through them, so that a job that moves meanwhile is seen twice, not
 *   missed
 */
export async function pendingRanges(redis: RedisClient, lanes: readonly CreditQueue[]): Promise<EntryRange[]> {
  return (await pendingJobIds(redis, lanes)).flatMap((id) => rangeOfJobId(id) ?? []);
}

/** Ids of all unfinished jobs in these lanes, in their order. */
export async function pendingJobIds(
  redis: RedisClient,
  lanes: readonly Pick<Queue, 'getRanges' | 'toKey'>[],
): Promise<string[]> {
  const found: string[] = [];
  for (const lane of lanes) {
    // A job whose due time a worker never reaches counts as none: its entries are sent again.
    found.push(
      ...(await lane.getRanges(['waiting', 'active'], 0, PENDING_MAX - 1)),
      ...(await dueJobs(redis, lane, PENDING_MAX)),
    );
  }
  return found;
}
