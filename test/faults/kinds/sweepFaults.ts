import { eventually } from '../../support/eventually.ts';
import type { Fault } from '../fault.ts';
import { openQueueAccess } from '../means/queueAccess.ts';
import { lockTransfers } from '../means/tableLock.ts';

/** Minimum of jobs lost in each way. */
const LOST = 3;

export function sweepFaults(fault: Fault): void {
  // Only redelivery finds them again, after a delay.
  fault(
    'jobs fail for good, are removed, and in the end all of them',
    async ({ databaseUrl, env, random }) => {
      const queue = openQueueAccess(env['REDIS_URL']!);
      // The workers are blocked, so that there are jobs in the queue.
      const lock = await lockTransfers(databaseUrl);
      try {
        const failed = await queue.failForGood(LOST, 4_000);
        let removed = 0;
        await eventually(
          async () => {
            for (const job of await queue.waiting())
              if (
                random.between(0, 1) === 0 &&
                (await job.remove().then(
                  () => true,
                  () => false,
                ))
              )
                removed++;
            return removed >= LOST;
          },
          { timeoutMs: 4_000 },
        ).catch(() => {});
        if (failed === 0 || removed === 0) throw new Error(`${failed} jobs failed and ${removed} were removed`);
        await random.pause(0, 400);
        await queue.obliterate();
      } finally {
        await lock.release();
        await queue.close();
      }
    },
    {
      when: 'swing',
      slow: true,
      rain: { packets: 290, windowMs: 4_500, arrivalsMs: 4_000 },
      // One worker is left, so that there are more jobs than it processes at a time.
      prepare: async ({ workers }) => void (await Promise.all(workers.slice(1).map((worker) => worker.stop()))),
    },
  );
}
