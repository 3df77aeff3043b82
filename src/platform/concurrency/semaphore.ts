/** Runs a limited number of tasks at once; the others wait in order of arrival. */
export function createSemaphore(concurrencyMax: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = concurrencyMax;
  return async (work) => {
    if (free > 0) free--;
    else
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    try {
      return await work();
    } finally {
      // The slot goes directly to the next task, so that a new task cannot overtake it.
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
