import { setTimeout as sleep } from 'node:timers/promises';

/** A result that is there at once is seen at once; asking costs the other side, too. */
const SOON_MS = 2;
const EVERY_MS = 25;

/**
 * Asks again until `check` neither throws nor says `false`, and gives its answer; for what another process does in its
 * own time. After `timeoutMs` the last failure is thrown, so that the test tells what was still wrong.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 20_000, everyMs }: { timeoutMs?: number; everyMs?: number } = {},
): Promise<Exclude<T, false>> {
  const deadline = performance.now() + timeoutMs;
  for (let pauseMs = everyMs ?? SOON_MS; ; pauseMs = everyMs ?? Math.min(EVERY_MS, pauseMs * 2)) {
    const late = performance.now() >= deadline;
    try {
      const answer = await check();
      if (answer !== false) return answer as Exclude<T, false>;
      if (late) throw new Error(`still not true after ${timeoutMs} ms: ${String(check)}`);
    } catch (error) {
      if (late) throw error;
    }
    await sleep(pauseMs);
  }
}
