import { setTimeout as sleep } from 'node:timers/promises';
import type { Fault } from '../fault.ts';
import type { Scene } from '../run.ts';
import { lockTransfers, type TableLock } from '../means/tableLock.ts';

/** One worker has four sessions. If a fifth waits, both workers are in the middle of a batch. */
const BOTH = 5;

/** Shorter than the statement timeout. */
const HOLD_MS_MAX = 10_000;

// Enough packets for wins until the end, so that both workers have batches.
const rain = { packets: 290, windowMs: 2_500 };

/** @throws if not every worker is in the middle of a batch */
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

  // Longer than its jobs' locks: when it wakes up and continues, another worker has already done its jobs.
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
