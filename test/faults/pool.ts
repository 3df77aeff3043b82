import { afterAll, beforeAll } from 'vitest';

/** Systems for the runs of one file. */
interface Pool<D> {
  /** Gives the run a system that no other run has meanwhile; waits until one is free. */
  lend<T>(run: (system: D) => Promise<T>): Promise<T>;
}

/** At the head of a file or of a `describe`: so many systems, from before its first test until after its last. */
export function openPool<D extends { end(): Promise<void> }>(open: () => Promise<D>, size: number): Pool<D> {
  const all = new Set<Promise<D>>();
  const free: Promise<D>[] = [];
  const waiting: (() => void)[] = [];
  const openOne = () => {
    const opening = open();
    all.add(opening);
    return opening;
  };
  const giveBack = (system: Promise<D>) => {
    free.push(system);
    waiting.shift()?.();
  };
  const end = (system: Promise<D>) =>
    system.then(
      (opened) => opened.end(),
      () => {},
    );
  beforeAll(async () => {
    free.push(...Array.from({ length: size }, openOne));
    await Promise.all(free);
  }, 120_000);
  afterAll(() => Promise.all(Array.from(all, end)), 60_000);
  return {
    async lend(run) {
      while (free.length === 0)
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
      let system = free.pop()!;
      try {
        return await run(await system);
      } catch (error) {
        // A run that failed may have left something behind, such as a master that stayed a replica: others do not get it.
        all.delete(system);
        await end(system).catch(() => {});
        system = openOne();
        system.catch(() => {});
        throw error;
      } finally {
        giveBack(system);
      }
    },
  };
}
