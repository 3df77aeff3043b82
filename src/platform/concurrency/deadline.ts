import { setTimeout as sleep } from 'node:timers/promises';

/** One moment by which several things are to be over, however many they are [R10]. */
interface Deadline {
  /** Milliseconds until then; 0 when it has passed. */
  leftMs(): number;
  /** What `work` comes to, or `late` when the moment is there first. What is late goes on, and nobody waits for it. */
  within<T>(work: Promise<T>): Promise<T | 'late'>;
  /** Waits until this is so, or the moment is there. */
  until(isSo: () => boolean): Promise<void>;
}

const LOOK_MS = 10;

export function deadlineIn(ms: number): Deadline {
  const at = performance.now() + ms;
  const leftMs = () => Math.max(0, at - performance.now());
  /** A timer counts from where the loop believes to be, and rings early when it was busy until now. */
  async function pass(signal: AbortSignal): Promise<void> {
    do await sleep(leftMs(), undefined, { signal }).catch(() => {}); while (leftMs() > 0 && !signal.aborted);
  }
  return {
    leftMs,
    async within(work) {
      const over = new AbortController();
      const late = pass(over.signal).then(() => 'late' as const);
      try {
        return await Promise.race([work, late]);
      } finally {
        over.abort();
      }
    },
    async until(isSo) {
      while (!isSo() && leftMs() > 0) await sleep(LOOK_MS);
    },
  };
}

/** What `work` comes to; `undefined`: it failed, or takes longer than this. */
export async function inTime<T>(work: Promise<T>, withinMs: number): Promise<T | undefined> {
  const heard = await deadlineIn(withinMs).within(work.then((value) => ({ value }))).catch(() => undefined);
  return heard === 'late' ? undefined : heard?.value;
}
