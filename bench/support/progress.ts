import { setTimeout as sleep } from 'node:timers/promises';

/** How often a measure looks at the progress of a worker. */
export const LOOK_MS = 20;

/** From the first ones in the ledger to the last: the start of the worker is not measured. */
export async function ratePerSecond(done: () => Promise<number>, all: number): Promise<number> {
  let [seen, since] = [0, 0];
  for (;;) {
    const count = await done();
    const now = performance.now();
    if (count >= all) return (count - seen) * 1_000 / (now - since);
    if (seen === 0 && count > 0) [seen, since] = [count, now];
    await sleep(LOOK_MS);
  }
}
