import { setTimeout as sleep } from 'node:timers/promises';
import { workerName } from '../deployment.ts';
import type { Fault } from '../fault.ts';
import type { Scene } from '../run.ts';
import { lockTransfers, type TableLock } from '../means/tableLock.ts';

/** Shorter than the statement timeout. */
const HOLD_MS_MAX = 10_000;
const PAUSE_MS_MAX = 1_000;

// Enough packets for wins until the end, so that workers have batches.
const rain = { packets: 290, windowMs: 2_500 };

/**
 * Stops all postings, and waits until a worker is in the middle of a batch. From the opening on: on a busy machine all
 * wins may be credited a second later. @returns one that is, at a random moment @throws if none is
 */
async function holdBatch({
  databaseUrl,
  workers,
  random,
}: Scene): Promise<{ lock: TableLock; busy: Scene['workers'][number] }> {
  const lock = await lockTransfers(databaseUrl);
  const waiting = await lock.whoWaits(HOLD_MS_MAX);
  const busy = workers.filter((_, i) => waiting.includes(workerName(i)));
  await random.pause(0, PAUSE_MS_MAX);
  if (busy.length > 0) return { lock, busy: random.pick(busy) };
  await lock.release();
  throw new Error(`no worker was in the middle of a batch; those who waited: ${waiting.join(', ')}`);
}

export function workerFaults(fault: Fault): void {
  fault('kill -9 of a worker', async ({ workers, random }) => {
    const worker = random.pick(workers);
    await worker.kill();
    await random.pause(0, 800);
    await worker.start();
  });

  fault('SIGTERM of a worker', async ({ workers, random }) => {
    const worker = random.pick(workers);
    await worker.stop();
    await random.pause(0, 800);
    await worker.start();
  });

  fault(
    'kill -9 of a worker in the middle of a batch',
    async (scene) => {
      const { lock, busy } = await holdBatch(scene);
      const struckAt = Date.now();
      await busy.kill();
      await scene.random.pause(0, 500);
      await lock.release();
      return struckAt;
    },
    { when: 'opening', slow: true, rain },
  );

  fault(
    'kill -9 of all workers in the middle of a batch',
    async (scene) => {
      const { lock } = await holdBatch(scene);
      const struckAt = Date.now();
      await Promise.all(scene.workers.map((worker) => worker.kill()));
      await scene.random.pause(0, 500);
      await lock.release();
      await Promise.all(scene.workers.map((worker) => worker.start()));
      return struckAt;
    },
    { when: 'opening', slow: true, rain },
  );

  // Longer than its jobs' locks: when it wakes up and continues, another worker has already done its jobs.
  fault(
    'SIGSTOP of a worker for 26 s in the middle of a batch',
    async (scene) => {
      const { lock, busy } = await holdBatch(scene);
      const struckAt = Date.now();
      busy.freeze();
      await scene.random.pause(0, 500);
      await lock.release();
      await sleep(26_000);
      busy.thaw();
      return struckAt;
    },
    { when: 'opening', slow: true, rain },
  );
}
