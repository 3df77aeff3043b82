export interface Backoff {
  /** Before the second attempt; doubled before each later one. */
  firstDelayMs: number;
  delayMsMax: number;
}

/** Attempts of a job before it is kept as failed: with the delays below, some twelve minutes without the balance system. */
export const ATTEMPTS_MAX = 40;
export const BACKOFF: Backoff = { firstDelayMs: 100, delayMsMax: 30_000 };

/**
 * Exponential and capped, which BullMQ's own is not, and between half and all of it by chance: jobs that failed together
 * do not come back together.
 *
 * @param attemptsMade 1 after the first failure
 * @param random in [0, 1)
 * @returns ms
 */
export function delayBeforeRetry(attemptsMade: number, { firstDelayMs, delayMsMax }: Backoff, random: () => number): number {
  const full = Math.min(delayMsMax, firstDelayMs * 2 ** Math.min(attemptsMade - 1, 30));
  return Math.round(full / 2 + (full / 2) * random());
}
