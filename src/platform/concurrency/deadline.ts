import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 10;

/** One point in time by which several operations together must end [R10]. */
export function deadlineIn(ms: number) {
  const at = performance.now() + ms;
  /** 0 when the deadline has passed. */
  const leftMs = () => Math.max(0, at - performance.now());
  /**
   * Timers count from the loop's cached time, so after a busy turn they fire too early. Therefore the wait is repeated.
   */
  async function pass(signal: AbortSignal): Promise<void> {
    do await sleep(leftMs(), undefined, { signal }).catch(() => {});
    while (leftMs() > 0 && !signal.aborted);
  }
  return {
    leftMs,
    /** The result of `work`, or `late` after the deadline. Late work continues, but nothing waits for it. */
    async within<T>(work: Promise<T>): Promise<T | 'late'> {
      const over = new AbortController();
      const late = pass(over.signal).then(() => 'late' as const);
      try {
        return await Promise.race([work, late]);
      } finally {
        over.abort();
      }
    },
    /** Waits until the condition is true, or until the deadline. */
    async until(condition: () => boolean): Promise<void> {
      while (!condition() && leftMs() > 0) await sleep(POLL_MS);
    },
  };
}

/** The result of `work`; `undefined` if it fails or takes longer than `withinMs`. */
export async function inTime<T>(work: Promise<T>, withinMs: number): Promise<T | undefined> {
  const result = await deadlineIn(withinMs)
    .within(work.then((value) => ({ value })))
    .catch(() => undefined);
  return result === 'late' ? undefined : result?.value;
}
