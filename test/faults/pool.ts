import { afterAll, beforeAll } from 'vitest';

/** Systems for the runs of one file. */
interface Pool<D> {
  /** Gives the run a system that no other run has meanwhile; waits until one is free. */
  lend<T>(run: (system: D) => Promise<T>): Promise<T>;
}

/** At the head of a file or of a `describe`: so many systems, from before its first test until after its last. */
export function openPool<D extends { end(): Promise<void> }>(open: () => Promise<D>, size: number): Pool<D> {
  const all: D[] = [];
  const free: D[] = [];
  const waiting: ((system: D) => void)[] = [];
  const giveBack = (system: D) => {
    const next = waiting.shift();
    if (next) next(system);
    else free.push(system);
  };
  beforeAll(async () => {
    const opened = await Promise.allSettled(Array.from({ length: size }, async () => void all.push(await open())));
    for (const each of opened) if (each.status === 'rejected') throw each.reason;
    free.push(...all);
  }, 120_000);
  afterAll(() => Promise.all(all.map((system) => system.end())), 60_000);
  return {
    async lend(run) {
      const system =
        free.pop() ??
        (await new Promise<D>((resolve) => {
          waiting.push(resolve);
        }));
      try {
        return await run(system);
      } finally {
        giveBack(system);
      }
    },
  };
}
