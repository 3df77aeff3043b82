import { eventually } from '../support/eventually.ts';
import type { Fault } from './fault.ts';
import type { Lines } from './lines.ts';
import { reachIntoQueue } from './queueAccess.ts';
import { lockTransfers } from './tableLock.ts';

// Somebody wins to the end, so that there is always another job to come.
const rain = { packets: 290, windowMs: 2_500 };

/** So often a job's workers die under it. */
const STALLS = 2;
/** A job that lost its workers comes back behind those that waited for a place: the more of these, the more kills it takes. */
const KILLS_MAX = 8;
/** Jobs that both workers hold at a time: with all of them behind the lock, no other is taken up. */
const PLACES = 8;

export function queueFaults(fault: Fault, lines: Lines): void {
  // By default such a job is failed for good, whatever attempts it has left.
  fault('kill -9 of all workers twice in the middle of the same job', async ({ databaseUrl, env, workers, random }) => {
    const queue = reachIntoQueue(env['REDIS_URL']!);
    const lock = await lockTransfers(databaseUrl);
    const most = async () => Math.max(0, ...(await queue.active()).map(({ stalledCounter }) => stalledCounter));
    try {
      // A job that had its money posted before the lock was there would be done before the first kill.
      if (await lock.waiting(1, 10_000) === 0) throw new Error('no batch has come to the lock');
      const struckAt = Date.now();
      for (let kill = 1; kill <= KILLS_MAX && await most() < STALLS; kill++) {
        const before = await most();
        await Promise.all(workers.map((worker) => worker.kill()));
        await queue.runOut(await queue.active());
        await random.pause(0, 300);
        await Promise.all(workers.map((worker) => worker.start()));
        await eventually(async () => await most() > before || (await queue.active()).length >= PLACES, { timeoutMs: 20_000 });
      }
      if (await most() < STALLS) throw new Error(`no job has lost its workers ${STALLS} times in ${KILLS_MAX} kills`);
      return struckAt;
    } finally {
      await lock.release();
      await queue.close();
    }
  }, { when: 'swing', rain });

  fault('the queue has the claims, and its answer to the relay is lost, three times', async () => {
    const line = lines.workersToRedis;
    const before = line.trips();
    // As it stands in the job and nowhere else on this line.
    line.arm('"entries":[', 3);
    await eventually(() => line.trips() === before + 3, { timeoutMs: 10_000 });
  }, { when: 'swing', rain });
}
