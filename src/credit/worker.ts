import { Worker, type Job } from 'bullmq';
import { delayBeforeRetry, type Backoff } from '../platform/network/backoff.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { LAGS_SECONDS, Histogram } from '../platform/telemetry/histogram.ts';
import { creditRange, type RangeDependencies, type RangeReport } from './creditRange.ts';
import { idOfDeadLetter } from './deadLetter.ts';
import { addDeadLetters } from './deadLetters.ts';
import { packetIdsOf } from './logEntries.ts';
import { creditJob, type CreditJob } from './job.ts';
import type { CreditCounters } from './metrics.ts';
import { CLAIM_RETRY_POLICY, JOB_RETRY_POLICY, type RetryPolicy } from './retryPolicy.ts';
import { createDeadQueue, createLaterQueue, CREDIT_QUEUE, LATER_JOBS_MAX, LATER_QUEUE, type QueueOptions } from './queue.ts';
import type { Announced } from './trail.ts';

export interface CreditWorkerOptions extends QueueOptions, Pick<RangeDependencies, 'balance' | 'onCredited'> {
  log: Logger;
  /** Returns which of these letters the operator has discarded: they are not dead-lettered again when their range is sent again. */
  discardedClaims?: (letterIds: readonly string[]) => Promise<Pick<ReadonlySet<string>, 'has'>>;
  /** Called when the users of some claims have been told. */
  onAnnounced?: (announced: Announced) => void;
  /** Concurrent jobs; each may use one database connection. */
  concurrency?: number;
  /** The same for retried claims. */
  laterConcurrency?: number;
  /** Backoff between the attempts of a job that met a fault. */
  backoff?: Backoff;
  /** Retries of a claim that the payout provider does not accept yet. */
  retryPolicy?: RetryPolicy;
  laterJobsMax?: number;
  /** In [0, 1); spreads retries. */
  random?: () => number;
}

export interface CreditWorker {
  readonly counters: Readonly<CreditCounters>;
  /**
   * Takes no more jobs and waits for the running ones, at most `deadlineMs`. Unfinished jobs are returned to the queue, where
   * another worker takes them; if that fails, they are taken when their lock expires.
   */
  close(deadlineMs?: number): Promise<'done' | 'abandoned'>;
}

/**
 * When a worker dies, another one takes its job after the lock expires and one of the next two checks finds it. The lock only saves
 * work, so it is short: a job that runs twice finds itself done [R5].
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
/** BullMQ's default is 1. Here a crash is not the job's fault: a poison claim is bisected, it does not crash the worker. */
const STALLED_COUNT_MAX = 1_000;
/** How long a lane sleeps that finds a rate limit. We set none, see queueRepair.ts; BullMQ's default is 30 s. */
const RATE_LIMIT_MS_MAX = 2_000;
/** Extra time for returning jobs, on top of the deadline. */
export const HAND_BACK_MS = 250;

export function createCreditWorker(options: CreditWorkerOptions): CreditWorker {
  const {
    connection, prefix, onError, balance, onCredited, log, discardedClaims = async () => new Set<string>(), onAnnounced, concurrency = 4, laterConcurrency = 2,
    backoff = JOB_RETRY_POLICY, retryPolicy = CLAIM_RETRY_POLICY, laterJobsMax = LATER_JOBS_MAX, random = Math.random,
  } = options;
  const dead = createDeadQueue({ connection, prefix, onError });
  const later = createLaterQueue({ connection, prefix, onError });
  const counters: CreditCounters = { credited: 0, faults: 0, lag: new Histogram(LAGS_SECONDS), jobs: new Histogram(LAGS_SECONDS) };
  async function work(job: Job<CreditJob, RangeReport>): Promise<RangeReport> {
    const takenUpAt = Date.now();
    const report = await creditRange(job.id!, job.data, {
      balance, retryPolicy, random, now: Date.now,
      async onCredited(rainId, shard, claims) {
        const committedAt = Date.now();
        await onCredited(rainId, shard, claims);
        const announcedAt = Date.now();
        for (const { at } of claims) counters.lag.add(Math.max(0, announcedAt - Number(at)) / 1_000);
        onAnnounced?.({ rainId, job: job.id!, claims, takenUpAt, committedAt, announcedAt });
      },
      async deadLetter(letters) {
        const discarded = await discardedClaims(letters.map(idOfDeadLetter));
        await addDeadLetters(dead, letters.filter((letter) => !discarded.has(idOfDeadLetter(letter))));
        log.error({ job: job.id, dead: letters.length, redPacketIds: packetIdsOf(letters.map(({ entry }) => entry)) }, 'claims given up: see the dead letters');
      },
      async addLater(jobs) {
        // Retried claims already have their place in this lane.
        const enter = jobs.some(({ data }) => data.later.attempts === 1);
        if (enter && await later.getJobCountByTypes('waiting', 'active', 'delayed') >= laterJobsMax) throw new Error('the lane of claims to be retried is full');
        await later.addBulk(jobs.map(({ id, data, delayMs }) => ({ name: 'range', data, opts: { jobId: id, delay: delayMs } })));
        const entries = jobs.flatMap(({ data }) => data.entries);
        log.warn({ job: job.id, later: entries.length, redPacketIds: packetIdsOf(entries) }, 'claims not accepted yet, will try again');
      },
    });
    counters.jobs.add(Math.max(0, Date.now() - takenUpAt) / 1_000);
    return report;
  }

  const begun = new Map<Job<CreditJob, RangeReport>, string | undefined>();
  function startLane(name: string, jobsAtOnce: number): Worker<CreditJob, RangeReport> {
    const worker = new Worker<CreditJob, RangeReport>(name, (job, token) => {
      begun.set(job, token);
      return work(job).finally(() => begun.delete(job));
    }, {
      connection, prefix, concurrency: jobsAtOnce,
      lockDuration: LOCK_MS, stalledInterval: STALLED_CHECK_MS, maxStalledCount: STALLED_COUNT_MAX, maximumRateLimitDelay: RATE_LIMIT_MS_MAX,
      settings: { backoffStrategy: (attemptsMade) => delayBeforeRetry(attemptsMade, backoff, random) },
    });
    worker.on('error', onError);
    worker.on('completed', (job, { credited, dead: deadLettered, later: scheduled }) => {
      counters.credited += credited;
      log.debug({ job: job.id, credited, dead: deadLettered, later: scheduled }, 'credited');
    });
    worker.on('failed', (job, error) => {
      counters.faults++;
      const more = job !== undefined && job.finishedOn === undefined;
      log[more ? 'warn' : 'error']({ job: job?.id, attempt: job?.attemptsMade, redPacketIds: idsOf(job?.data), error: error.message }, more ? 'crediting failed, will try again' : 'crediting failed permanently');
    });
    return worker;
  }
  const lanes = [startLane(CREDIT_QUEUE, concurrency), startLane(LATER_QUEUE, laterConcurrency)];

  return {
    counters,
    async close(deadlineMs = 10_000) {
      const finished = Promise.all(lanes.map((lane) => lane.close())).then(() => Promise.all([dead.close(), later.close()])).then(() => 'done' as const);
      if (await deadlineIn(deadlineMs).within(finished) === 'done') return 'done';
      // Even if its posting still succeeds: the next worker finds it posted [R5].
      await deadlineIn(HAND_BACK_MS).within(Promise.all([...begun].map(([job, token]) => job.moveToWait(token))).catch(onError));
      return 'abandoned';
    },
  };
}

/** Packet ids of a job whose data may be invalid. */
function idsOf(data: unknown): string[] {
  const { success, data: job } = creditJob.safeParse(data);
  return success ? packetIdsOf(job.entries) : [];
}
