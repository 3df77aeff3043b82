/** Runs work, at most so much of it at once; the rest waits in the order in which it came. */
type Semaphore = <T>(work: () => Promise<T>) => Promise<T>;

export function createSemaphore(atOnceMax: number): Semaphore {
  const waiting: (() => void)[] = [];
  let free = atOnceMax;
  return async (work) => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => { waiting.push(resolve); });
    try {
      return await work();
    } finally {
      // Handed on rather than freed, so that nobody overtakes.
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
