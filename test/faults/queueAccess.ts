import { Queue, UnrecoverableError, Worker, type Job } from 'bullmq';
import { Redis } from 'ioredis';
import type { CreditJob } from '../../src/credit/job.ts';
import { CREDIT_QUEUE } from '../../src/credit/queue.ts';
import { QUEUE_PREFIX } from '../../src/store/keys.ts';
import { eventually } from '../support/eventually.ts';

/** A hand in the queue of credits, for what no part of the system does to it. */
interface QueueAccess {
  active(): Promise<Job<CreditJob>[]>;
  waiting(): Promise<Job<CreditJob>[]>;
  /** The locks of these jobs run out and they are marked as stalled, for which one otherwise waits 22 s. */
  runOut(jobs: readonly Job[]): Promise<void>;
  /** Takes at least so many jobs from the workers and lets them fail for good, as a worker with a fault of its own would. */
  failForGood(atLeast: number, withinMs: number): Promise<number>;
  /** Everything goes, also what somebody is working on. */
  obliterate(): Promise<void>;
  close(): Promise<void>;
}

export function reachIntoQueue(redisUrl: string): QueueAccess {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue<CreditJob>(CREDIT_QUEUE, { connection, prefix: QUEUE_PREFIX });
  const key = (name: string) => `${QUEUE_PREFIX}:${CREDIT_QUEUE}:${name}`;
  for (const emitter of [connection, queue]) emitter.on('error', () => {});
  return {
    active: () => queue.getActive(),
    waiting: () => queue.getWaiting(),
    async runOut(jobs) {
      const ids = jobs.map(({ id }) => id!);
      if (ids.length === 0) return;
      await connection.del(key('stalled-check'), ...ids.map((id) => key(`${id}:lock`)));
      await connection.sadd(key('stalled'), ...ids);
    },
    async failForGood(atLeast, withinMs) {
      let failed = 0;
      const worker = new Worker<CreditJob>(CREDIT_QUEUE, () => {
        failed++;
        throw new UnrecoverableError('for good');
      }, { connection, prefix: QUEUE_PREFIX });
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
