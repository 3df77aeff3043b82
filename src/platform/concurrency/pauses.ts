/** Charged at most for the first time that a piece of work is done, ms. */
export const FIRST_MS_MAX = 1_000;

/** Pauses that keep repeated work at a share of the time. */
export interface Pauses {
  /**
   * A stall (a lock, a slow store, a busy machine) is not work: a piece is charged at most twice as long as it took last
   * time, so that one stall is not multiplied, and work that has grown pays in full from the second time on.
   * @param tookMs duration of the piece `key`
   * @param isWhole false: it failed, or was done in part, and its duration says nothing of the next one
   * @returns the pause, ms
   */
  after(key: string, tookMs: number, isWhole?: boolean): number;
  forget(key: string): void;
}

/** @param factor a pause is this many times as long as the work before it */
export function createPauses(factor: number): Pauses {
  const lastMs = new Map<string, number>();
  return {
    after(key, tookMs, isWhole = true) {
      const last = lastMs.get(key);
      if (isWhole) lastMs.set(key, tookMs);
      return factor * Math.min(tookMs, last === undefined ? FIRST_MS_MAX : 2 * last);
    },
    forget: (key) => void lastMs.delete(key),
  };
}
