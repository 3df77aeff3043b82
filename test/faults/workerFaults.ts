import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from './fault.ts';
import type { Scene } from './run.ts';
import { lockTransfers, type TableLock } from './tableLock.ts';

/** One worker has four sessions: with a fifth waiting, both are in the middle of a batch. */
const BOTH = 5;

/** Below what a statement may take before the database gives it up. */
const HOLD_MS_MAX = 10_000;

// Somebody wins to the end, so that there are batches enough for both.
const rain = { packets: 290, windowMs: 2_500 };

/** @throws when not every worker got into the middle of a batch: then there is nothing to break */
async function holdBatches({ databaseUrl }: Scene): Promise<TableLock> {
  const lock = await lockTransfers(databaseUrl);
  const held = await lock.waiting(BOTH, HOLD_MS_MAX);
  if (held >= BOTH) return lock;
  await lock.release();
  throw new Error(`${held} sessions were in the middle of a batch, expected ${BOTH}`);
}

export function workerFaults(fault: Fault): void {
  fault('kill -9 of a worker', async ({ workers, random }) => {
    const worker = random.pick(workers);
    await worker.kill();
    await random.pause(0, 800);
    await worker.start();
  }, { short: true });

  fault('SIGTERM of a worker', async ({ workers, random }) => {
    const worker = random.pick(workers);
    await worker.stop();
    await random.pause(0, 800);
    await worker.start();
  });

  fault('kill -9 of a worker in the middle of a batch', async (scene) => {
    const lock = await holdBatches(scene);
    const struckAt = Date.now();
    await scene.random.pick(scene.workers).kill();
    await scene.random.pause(0, 500);
    await lock.release();
    return struckAt;
  }, { when: 'swing', slow: true, rain });

  fault('kill -9 of all workers in the middle of a batch', async (scene) => {
    const lock = await holdBatches(scene);
    const struckAt = Date.now();
    await Promise.all(scene.workers.map((worker) => worker.kill()));
    await scene.random.pause(0, 500);
    await lock.release();
    await Promise.all(scene.workers.map((worker) => worker.start()));
    return struckAt;
  }, { when: 'swing', slow: true, rain });

  // Longer than its jobs' locks last: another one has done its work when it wakes up and goes on where it stood.
  fault('SIGSTOP of a worker for 26 s in the middle of a batch', async (scene) => {
    const lock = await holdBatches(scene);
    const struckAt = Date.now();
    const worker = scene.random.pick(scene.workers);
    worker.freeze();
    await scene.random.pause(0, 500);
    await lock.release();
    await sleep(26_000);
    worker.thaw();
    return struckAt;
  }, { when: 'swing', slow: true, rain });
}
