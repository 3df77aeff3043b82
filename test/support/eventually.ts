import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again until `check` neither throws nor says `false`, and gives its answer; for what another process does in its
 * own time. After `timeoutMs` the last failure is thrown, so that the test tells what was still wrong.
 */
export async function eventually<T>(check: () => T | Promise<T>, { timeoutMs = 20_000, everyMs = 25 } = {}): Promise<Exclude<T, false>> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const late = performance.now() >= deadline;
    try {
      const answer = await check();
      if (answer !== false) return answer as Exclude<T, false>;
      if (late) throw new Error(`still not true after ${timeoutMs} ms: ${check}`);
    } catch (error) {
      if (late) throw error;
    }
    await sleep(everyMs);
  }
}
