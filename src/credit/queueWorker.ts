import { Worker, type Processor } from 'bullmq';
import { delayBeforeRetry, type Backoff } from '../platform/network/backoff.ts';
import { bullOptions } from './bullOptions.ts';
import type { QueueOptions } from './queue.ts';

/**
 * When a worker dies, another one takes its job after the lock expires and one of the next two checks finds it. The
 * lock only saves work, so it is short: a job that runs twice finds itself done [R5].
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
/**
 * BullMQ's default is 1. Here a crash is not the job's fault: a poison entry is bisected, it does not crash the worker.
 */
const STALLED_COUNT_MAX = 1_000;
/** How long a worker sleeps that finds a rate limit. We set none, see queueRepair.ts; BullMQ's default is 30 s. */
const RATE_LIMIT_MS_MAX = 2_000;
/** Pause after a job could not be fetched, ms. */
const FAULT_PAUSE_MS = 500;

interface QueueWorkerOptions extends QueueOptions {
  /** Jobs at once. */
  concurrency: number;
  /** Between the attempts of a job that met a fault. */
  backoff: Backoff;
  /** In [0, 1); spreads retries. */
  random?: () => number;
}

/**
 * Takes jobs from one queue. BullMQ's own loop pauses only after a lost connection: after an answer such as NOPERM it
 * asks again at once, and an error that comes without any I/O turns it for ever, so that neither a timer nor a signal
 * is served [R10].
 */
export class QueueWorker<Data, Report = void> extends Worker<Data, Report> {
  constructor(name: string, work: Processor<Data, Report>, options: QueueWorkerOptions) {
    const { connection, prefix, onError, concurrency, backoff, random = Math.random } = options;
    super(name, work, {
      ...bullOptions({ connection, prefix }),
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: STALLED_COUNT_MAX,
      maximumRateLimitDelay: RATE_LIMIT_MS_MAX,
      settings: { backoffStrategy: (attemptsMade) => delayBeforeRetry(attemptsMade, backoff, random) },
    });
    this.on('error', onError);
  }

  protected override async moveToActive(token: string, name?: string) {
    try {
      return await super.moveToActive(token, name);
    } catch (error) {
      await this.delay(FAULT_PAUSE_MS);
      throw error;
    }
  }
}
