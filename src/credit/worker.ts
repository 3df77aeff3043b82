import { UnrecoverableError, Worker, type Job } from 'bullmq';
import { delayBeforeRetry, type Backoff } from '../platform/network/backoff.ts';
import { deadlineIn } from '../platform/concurrency/deadline.ts';
import type { Logger } from '../platform/telemetry/log.ts';
import { LAGS_SECONDS, Histogram } from '../platform/telemetry/histogram.ts';
import { creditRange, JobMalformed, type RangeParts, type RangeReport } from './creditRange.ts';
import { idOfDeadLetter } from './deadLetter.ts';
import { packetIdsOf } from './logEntries.ts';
import { creditJob, type CreditJob } from './job.ts';
import type { CreditCounters } from './metrics.ts';
import { CLAIM_RETRY_POLICY, JOB_RETRY_POLICY, type RetryPolicy } from './retryPolicy.ts';
import { createDeadQueue, createLaterQueue, CREDIT_QUEUE, LATER_JOBS_MAX, LATER_QUEUE, type QueueOptions } from './queue.ts';
import type { Announced } from './trail.ts';

export interface CreditWorkerOptions extends QueueOptions, Pick<RangeParts, 'balance' | 'onCredited'> {
  log: Logger;
  /** Which of these letters the operator has discarded: they are not dead-lettered a second time when their range is sent again. */
  discardedClaims?: (letterIds: readonly string[]) => Promise<Pick<ReadonlySet<string>, 'has'>>;
  /** Called when the users of some claims have been told. */
  onAnnounced?: (announced: Announced) => void;
  /** Jobs at a time; each may use one database connection. */
  concurrency?: number;
  /** The same for claims that come again. */
  laterConcurrency?: number;
  /** Between the attempts of a job that met a fault. */
  backoff?: Backoff;
  /** With a claim that the balance system does not take yet. */
  retryPolicy?: RetryPolicy;
  laterJobsMax?: number;
  /** In [0, 1); spreads retries. */
  random?: () => number;
}

export interface CreditWorker {
  readonly counters: Readonly<CreditCounters>;
  /**
   * Takes no more jobs and waits for those begun, at most `deadlineMs`. What is not done by then is handed back to the
   * queue, where another worker takes it up; and should that fail, too, when the job's lock has run out.
   */
  close(deadlineMs?: number): Promise<'done' | 'abandoned'>;
}

/**
 * A job of a worker that died is taken up by another when its lock has run out and the next check, or the one after it, finds
 * it so. Short, since the lock saves work and guards nothing: a job that is done twice finds itself done [R5].
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
/**
 * By default a job whose workers died twice is failed for good, however many attempts it has left. Here a crash is no
 * fault of the job: a poison claim is isolated, it does not kill.
 */
const STALLED_COUNT_MAX = 1_000;
/** How long handing back may take on top of the deadline. */
export const HAND_BACK_MS = 250;

export function createCreditWorker(options: CreditWorkerOptions): CreditWorker {
  const {
    connection, prefix, onError, balance, onCredited, log, discardedClaims = async () => new Set<string>(), onAnnounced, concurrency = 4, laterConcurrency = 2,
    backoff = JOB_RETRY_POLICY, retryPolicy = CLAIM_RETRY_POLICY, laterJobsMax = LATER_JOBS_MAX, random = Math.random,
  } = options;
  const dead = createDeadQueue({ connection, prefix, onError });
  const later = createLaterQueue({ connection, prefix, onError });
  const parts: RangeParts = {
    balance, onCredited, retryPolicy, random, now: Date.now,
    async bury(letters) {
      const jobs = letters.map((letter) => ({ name: letter.reason, data: letter, opts: { jobId: idOfDeadLetter(letter) } }));
      const resting = await discardedClaims(jobs.map(({ opts }) => opts.jobId));
      await dead.addBulk(jobs.filter(({ opts }) => !resting.has(opts.jobId)));
    },
    async addLater(jobs) {
      // Those that come from the lane have their place in it.
      const enter = jobs.some(({ data }) => data.later.attempts === 1);
      if (enter && await later.getJobCountByTypes('waiting', 'active', 'delayed') >= laterJobsMax) throw new Error('the lane of claims to be credited later is full');
      await later.addBulk(jobs.map(({ id, data, delayMs }) => ({ name: 'range', data, opts: { jobId: id, delay: delayMs } })));
    },
  };

  const counters: CreditCounters = { credited: 0, faults: 0, lag: new Histogram(LAGS_SECONDS), jobs: new Histogram(LAGS_SECONDS) };
  async function work(job: Job<CreditJob, RangeReport>): Promise<RangeReport> {
    const takenUpAt = Date.now();
    const report = await creditRange(job.id!, job.data, {
      ...parts,
      async onCredited(rainId, shard, claims) {
        const committedAt = Date.now();
        await onCredited(rainId, shard, claims);
        const announcedAt = Date.now();
        for (const { at } of claims) counters.lag.add(Math.max(0, announcedAt - Number(at)) / 1_000);
        onAnnounced?.({ rainId, job: job.id!, claims, takenUpAt, committedAt, announcedAt });
      },
      async bury(letters) {
        await parts.bury(letters);
        log.error({ job: job.id, dead: letters.length, redPacketIds: packetIdsOf(letters.map(({ entry }) => entry)) }, 'claims given up: see the dead letters');
      },
      async addLater(jobs) {
        await parts.addLater(jobs);
        const entries = jobs.flatMap(({ data }) => data.entries);
        log.warn({ job: job.id, later: entries.length, redPacketIds: packetIdsOf(entries) }, 'claims not taken yet, will try again');
      },
    });
    counters.jobs.add(Math.max(0, Date.now() - takenUpAt) / 1_000);
    return report;
  }

  const begun = new Map<Job<CreditJob, RangeReport>, string | undefined>();
  function startLane(name: string, jobsAtOnce: number): Worker<CreditJob, RangeReport> {
    const worker = new Worker<CreditJob, RangeReport>(name, (job, token) => {
      begun.set(job, token);
      return work(job).catch(decide).finally(() => begun.delete(job));
    }, {
      connection,
      prefix,
      concurrency: jobsAtOnce,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: STALLED_COUNT_MAX,
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
      log[more ? 'warn' : 'error']({ job: job?.id, attempt: job?.attemptsMade, redPacketIds: idsOf(job?.data), error: error.message }, more ? 'crediting failed, will try again' : 'crediting failed for good');
    });
    return worker;
  }
  const lanes = [startLane(CREDIT_QUEUE, concurrency), startLane(LATER_QUEUE, laterConcurrency)];

  return {
    counters,
    async close(deadlineMs = 10_000) {
      const finished = Promise.all(lanes.map((lane) => lane.close())).then(() => Promise.all([dead.close(), later.close()])).then(() => 'done' as const);
      if (await deadlineIn(deadlineMs).within(finished) === 'done') return 'done';
      // Even if its posting goes through after all: who takes it up finds it posted [R5].
      await deadlineIn(HAND_BACK_MS).within(Promise.all([...begun].map(([job, token]) => job.moveToWait(token))).catch(onError));
      return 'abandoned';
    },
  };
}

/** Of a job that may be anything. */
function idsOf(data: unknown): string[] {
  const { success, data: job } = creditJob.safeParse(data);
  return success ? packetIdsOf(job.entries) : [];
}

/** THE one place that chooses: a report is done, a job that cannot be read is given up, every other fault is retried. */
function decide(error: unknown): never {
  if (error instanceof JobMalformed) throw new UnrecoverableError(error.message);
  throw error;
}
