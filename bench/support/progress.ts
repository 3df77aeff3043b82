import { setTimeout as sleep } from 'node:timers/promises';

/** How often a measure looks at the progress of a worker. */
export const LOOK_MS = 20;
/** Work that makes no progress for so long will not end: each of its jobs has failed, say. */
const STUCK_MS = 60_000;

/**
 * From the first ones in the ledger to the last: the start of the worker is not measured.
 * @throws Error when the count stands still
 */
export async function ratePerSecond(done: () => Promise<number>, all: number): Promise<number> {
  let [seen, since] = [0, 0];
  let [last, movedAt] = [0, performance.now()];
  for (;;) {
    const count = await done();
    const now = performance.now();
    if (count >= all) return ((count - seen) * 1_000) / (now - since);
    if (seen === 0 && count > 0) [seen, since] = [count, now];
    if (count > last) [last, movedAt] = [count, now];
    if (now - movedAt > STUCK_MS) throw new Error(`${count} of ${all} are done, and no more for ${STUCK_MS / 1_000} s`);
    await sleep(LOOK_MS);
  }
}
