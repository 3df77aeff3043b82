import { eventually } from '../../support/eventually.ts';
import type { Fault } from '../fault.ts';
import type { Lines } from '../means/lines.ts';
import { openQueueAccess } from '../means/queueAccess.ts';
import { lockTransfers } from '../means/tableLock.ts';

// Enough packets for wins until the end, so that there is always another job.
const rain = { packets: 290, windowMs: 2_500 };

/** How often the workers of one job die. */
const STALLS = 2;
/** A stalled job is queued behind the waiting ones: the more of these, the more kills are needed. */
const KILLS_MAX = 8;
/** Jobs that both workers process at a time. When all of them wait for the lock, no other job is started. */
const PLACES = 8;

export function queueFaults(fault: Fault, lines: Lines): void {
  // By default BullMQ fails such a job for good, even if it has attempts left.
  fault(
    'kill -9 of all workers twice in the middle of the same job',
    async ({ databaseUrl, env, workers, random }) => {
      const queue = openQueueAccess(env['REDIS_URL']!);
      const lock = await lockTransfers(databaseUrl);
      const most = async () => Math.max(0, ...(await queue.active()).map(({ stalledCounter }) => stalledCounter));
      try {
        // A job that was posted before the lock would be done before the first kill.
        if ((await lock.waiting(1, 10_000)) === 0) throw new Error('no batch waits for the lock');
        const struckAt = Date.now();
        for (let kill = 1; kill <= KILLS_MAX && (await most()) < STALLS; kill++) {
          const before = await most();
          await Promise.all(workers.map((worker) => worker.kill()));
          await queue.stall(await queue.active());
          await random.pause(0, 300);
          await Promise.all(workers.map((worker) => worker.start()));
          await eventually(async () => (await most()) > before || (await queue.active()).length >= PLACES, {
            timeoutMs: 20_000,
          });
        }
        if ((await most()) < STALLS)
          throw new Error(`no job has lost its workers ${STALLS} times in ${KILLS_MAX} kills`);
        return struckAt;
      } finally {
        await lock.release();
        await queue.close();
      }
    },
    { when: 'swing', rain },
  );

  fault(
    'the queue has the claims, and its answer to the relay is lost, three times',
    async () => {
      const line = lines.workersToRedis;
      const before = line.trips();
      // This text occurs in the job and nowhere else on this connection.
      line.arm('"entries":[', 3);
      await eventually(() => line.trips() === before + 3, { timeoutMs: 10_000 });
    },
    { when: 'swing', rain },
  );
}
