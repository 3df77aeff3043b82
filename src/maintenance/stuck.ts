/** A stuck one is tried less and less often, but at least this often. */
const PAUSE_MS_MAX = 10_000;
/** How often a warning about one of them is repeated. */
const WARNING_REPEAT_MS = 3_600_000;

interface StuckOptions {
  /** The pause after the first attempt. */
  everyMs: number;
  /** How long something may wait before that is a warning, ms. */
  waitingMs: number;
}

/**
 * Remembers of each rain or sale that is over and not settled what its last attempt said, so that it is told once and
 * tried less often.
 */
export function createStuck({ everyMs, waitingMs }: StuckOptions) {
  const attempts = new Map<string, { state: string; pauseMs: number; nextAt: number }>();
  /** When waiting is a warning next, `performance.now()`. */
  const warnAt = new Map<string, number>();
  return {
    isPaused: (id: string): boolean => performance.now() < (attempts.get(id)?.nextAt ?? 0),
    /** @returns whether the attempt says something else than the one before */
    note(id: string, result: unknown): boolean {
      const before = attempts.get(id);
      const state = JSON.stringify(result, (_, value: unknown) => (value instanceof Error ? value.message : value));
      const isSame = before?.state === state;
      const pauseMs = isSame ? Math.min(2 * before!.pauseMs, PAUSE_MS_MAX) : everyMs;
      attempts.set(id, { state, pauseMs, nextAt: performance.now() + pauseMs });
      return !isSame;
    },
    /** Called for one that waits. @returns whether it has been waiting for so long that this is to be told now */
    isLate(id: string): boolean {
      const due = warnAt.get(id);
      if (due !== undefined && performance.now() < due) return false;
      warnAt.set(id, performance.now() + (due === undefined ? waitingMs : WARNING_REPEAT_MS));
      return due !== undefined;
    },
    waitsNoMore: (id: string): void => void warnAt.delete(id),
    forget: (id: string): void => void attempts.delete(id),
    /** Forgets all others. */
    keepOnly(ids: { has(id: string): boolean }): void {
      for (const memory of [attempts, warnAt]) for (const id of memory.keys()) if (!ids.has(id)) memory.delete(id);
    },
  };
}
