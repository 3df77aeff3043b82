import type { Job } from 'bullmq';
import type { z } from 'zod';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import type { Backoff } from '../platform/network/backoff.ts';
import type { Histogram } from '../platform/telemetry/histogram.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import type { QueueOptions } from './queue.ts';
import { QueueWorker } from './queueWorker.ts';
import { JOB_RETRY_POLICY } from './retryPolicy.ts';

export interface RangeWorkerOptions extends QueueOptions {
  /** Concurrent jobs; each may use one database connection. */
  concurrency?: number;
  /** Backoff between the attempts of a job that met a fault. */
  backoff?: Backoff;
  /** In [0, 1); spreads retries. */
  random?: () => number;
  log: Logger;
}

interface RangeWork<Data, Report> {
  /** Names of the queue and of the one of retried entries. */
  queues: readonly [first: string, later: string];
  work(job: Job<Data, Report>): Promise<Report>;
  onDone(job: Job<Data, Report>, report: Report): void;
  /** For the log: what the work is called, and which entries a job has. */
  doing: string;
  schema: z.ZodType<{ entries: string[] }>;
  idsOf(entries: readonly string[]): Record<string, string[]>;
  counters: RangeCounters;
  /** Called when no job runs any more. */
  onClosed(): Promise<unknown>;
}

/** Figures of this process's worker since its start. */
export interface RangeCounters {
  /** Attempts at a job that failed. */
  faults: number;
  /** From start to end of a job, seconds; faults are not counted. */
  jobs: Histogram;
}

export interface RangeWorker {
  /**
   * Takes no more jobs and waits for the running ones, at most `deadlineMs`. Unfinished jobs are returned to the queue,
   * where another worker takes them; if that fails, they are taken when their lock expires.
   */
  close(deadlineMs?: number): Promise<'done' | 'abandoned'>;
}

/** Concurrent jobs of retried entries. */
const LATER_CONCURRENCY = 2;
/** Extra time for returning jobs, on top of the deadline. */
export const HAND_BACK_MS = 250;

/** The shell of the workers that settle ranges of a log: of claims and of reservations. */
export function startRangeWorker<Data, Report>(
  { queues, work, onDone, onClosed, doing, schema, idsOf, counters }: RangeWork<Data, Report>,
  options: RangeWorkerOptions,
): RangeWorker {
  const {
    connection,
    prefix,
    onError,
    log,
    concurrency = 4,
    backoff = JOB_RETRY_POLICY,
    random = Math.random,
  } = options;
  const begun = new Map<Job<Data, Report>, string | undefined>();
  async function timed(job: Job<Data, Report>): Promise<Report> {
    const takenUpAt = Date.now();
    const report = await work(job);
    counters.jobs.add(Math.max(0, Date.now() - takenUpAt) / 1_000);
    return report;
  }
  function onFault(job: Job<Data, Report> | undefined, error: Error): void {
    counters.faults++;
    const more = job !== undefined && job.finishedOn === undefined;
    const { success, data } = schema.safeParse(job?.data);
    log[more ? 'warn' : 'error'](
      { job: job?.id, attempt: job?.attemptsMade, ...idsOf(success ? data.entries : []), error: error.message },
      `${doing} failed${more ? ', will try again' : ' permanently'}`,
    );
  }
  function startLane(name: string, jobsAtOnce: number): QueueWorker<Data, Report> {
    const worker = new QueueWorker<Data, Report>(
      name,
      (job, token) => {
        begun.set(job, token);
        return timed(job).finally(() => begun.delete(job));
      },
      { connection, prefix, onError, concurrency: jobsAtOnce, backoff, random },
    );
    worker.on('completed', onDone);
    worker.on('failed', onFault);
    return worker;
  }
  const lanes = [startLane(queues[0], concurrency), startLane(queues[1], LATER_CONCURRENCY)];

  return {
    async close(deadlineMs = 10_000) {
      const finished = Promise.all(lanes.map((lane) => lane.close()))
        .then(onClosed)
        .then(() => 'done' as const);
      if ((await deadlineIn(deadlineMs).within(finished)) === 'done') return 'done';
      // Even if its posting still succeeds: the next worker finds it posted [R5].
      await deadlineIn(HAND_BACK_MS).within(
        Promise.all([...begun].map(([job, token]) => job.moveToWait(token))).catch(onError),
      );
      return 'abandoned';
    },
  };
}
