import { UnrecoverableError, Worker, type Job } from 'bullmq';
import { deadlineIn } from '../runtime/deadline.ts';
import type { Logger } from '../runtime/log.ts';
import { BACKOFF, delayBeforeRetry, type Backoff } from './backoff.ts';
import { creditRange, JobMalformed, type RangeParts, type RangeReport } from './creditRange.ts';
import { deadLetterId } from './deadLetter.ts';
import type { CreditJob } from './job.ts';
import { createDeadQueue, CREDIT_QUEUE, type QueueOptions } from './queue.ts';

export interface CreditWorkerOptions extends QueueOptions, Pick<RangeParts, 'balance' | 'onCredited'> {
  log: Logger;
  /** Jobs at a time; each may use one database connection. */
  concurrency?: number;
  backoff?: Backoff;
  /** In [0, 1); spreads retries. */
  random?: () => number;
}

export interface CreditWorker {
  /**
   * Takes no more jobs and waits for those begun, at most `deadlineMs`. What is not done by then is handed back to the
   * queue, where another worker takes it up; and should that fail, too, when the job's lock has run out.
   */
  close(deadlineMs?: number): Promise<'done' | 'abandoned'>;
}

/** A job of a worker that died is taken up by another after at most the two of them. */
const LOCK_MS = 15_000;
const STALLED_CHECK_MS = 7_500;
/**
 * By default a job whose workers died twice is failed for good, however many attempts it has left. Here a crash is no
 * fault of the job: a poison claim is isolated, it does not kill.
 */
const STALLED_COUNT_MAX = 1_000;
/** How long handing back may take on top of the deadline. */
export const HAND_BACK_MS = 250;

export function createCreditWorker(options: CreditWorkerOptions): CreditWorker {
  const { connection, prefix, onError, balance, onCredited, log, concurrency = 4, backoff = BACKOFF, random = Math.random } = options;
  const dead = createDeadQueue({ connection, prefix, onError });
  const parts: RangeParts = {
    balance,
    onCredited,
    async bury(letters) {
      await dead.addBulk(letters.map((letter) => ({ name: letter.reason, data: letter, opts: { jobId: deadLetterId(letter) } })));
    },
  };
  const begun = new Map<Job<CreditJob, RangeReport>, string | undefined>();
  const worker = new Worker<CreditJob, RangeReport>(CREDIT_QUEUE, (job, token) => {
    begun.set(job, token);
    return creditRange(job.data, parts).catch(decide).finally(() => begun.delete(job));
  }, {
    connection,
    prefix,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: STALLED_COUNT_MAX,
    settings: { backoffStrategy: (attemptsMade) => delayBeforeRetry(attemptsMade, backoff, random) },
  });
  worker.on('error', onError);
  worker.on('completed', (job, { credited, dead: buried }) => {
    log.debug({ job: job.id, credited, dead: buried }, 'credited');
    if (buried > 0) log.error({ job: job.id, dead: buried }, 'claims given up: see the dead letters');
  });
  worker.on('failed', (job, error) => {
    const more = job !== undefined && job.finishedOn === undefined;
    log[more ? 'warn' : 'error']({ job: job?.id, attempt: job?.attemptsMade, error: error.message }, more ? 'crediting failed, will try again' : 'crediting failed for good');
  });

  return {
    async close(deadlineMs = 10_000) {
      const finished = worker.close().then(() => dead.close()).then(() => 'done' as const);
      if (await deadlineIn(deadlineMs).within(finished) === 'done') return 'done';
      // Even if its posting goes through after all: who takes it up finds it posted [R5].
      await deadlineIn(HAND_BACK_MS).within(Promise.all([...begun].map(([job, token]) => job.moveToWait(token))).catch(onError));
      return 'abandoned';
    },
  };
}

/** THE one place that chooses: a report is done, a job that cannot be read is given up, every other fault is retried. */
function decide(error: unknown): never {
  if (error instanceof JobMalformed) throw new UnrecoverableError(error.message);
  throw error;
}
