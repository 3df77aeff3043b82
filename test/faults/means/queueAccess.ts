import { Queue, UnrecoverableError, Worker, type Job } from 'bullmq';
import { Redis } from 'ioredis';
import type { CreditJob } from '../../../src/credit/job.ts';
import { CREDIT_QUEUE } from '../../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../../src/store/keys.ts';
import { eventually } from '../../support/eventually.ts';

/** Direct access to the credit queue, for changes that no part of the system makes. */
interface QueueAccess {
  active(): Promise<Job<CreditJob>[]>;
  waiting(): Promise<Job<CreditJob>[]>;
  /** Expires the locks of these jobs and marks them as stalled. Otherwise that takes 22 s. */
  stall(jobs: readonly Job[]): Promise<void>;
  /**
   * Takes at least this many jobs from the workers and fails them for good, as a faulty worker would.
   * @returns how many
   */
  failForGood(atLeast: number, withinMs: number): Promise<number>;
  /** Removes everything, also active jobs. */
  obliterate(): Promise<void>;
  close(): Promise<void>;
}

export function openQueueAccess(redisUrl: string): QueueAccess {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue<CreditJob>(CREDIT_QUEUE, { connection, prefix: QUEUE_PREFIX });
  const key = (name: string) => `${QUEUE_PREFIX}:${CREDIT_QUEUE}:${name}`;
  for (const emitter of [connection, queue]) emitter.on('error', () => {});
  return {
    active: () => queue.getActive(),
    waiting: () => queue.getWaiting(),
    async stall(jobs) {
      const ids = jobs.map(({ id }) => id!);
      if (ids.length === 0) return;
      await connection.del(key('stalled-check'), ...ids.map((id) => key(`${id}:lock`)));
      await connection.sadd(key('stalled'), ...ids);
    },
    async failForGood(atLeast, withinMs) {
      let failed = 0;
      const worker = new Worker<CreditJob>(
        CREDIT_QUEUE,
        () => {
          failed++;
          throw new UnrecoverableError('for good');
        },
        { connection, prefix: QUEUE_PREFIX },
      );
      worker.on('error', () => {});
      await eventually(() => failed >= atLeast, { timeoutMs: withinMs }).catch(() => {});
      await worker.close();
      return failed;
    },
    obliterate: () => queue.obliterate({ force: true }),
    async close() {
      await queue.close();
      connection.disconnect();
    },
  };
}
