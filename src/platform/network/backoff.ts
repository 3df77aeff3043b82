/** The pauses between tries. */
export interface Backoff {
  /** Pause before the second try; it doubles before each later try. */
  firstDelayMs: number;
  delayMsMax: number;
}

/**
 * The only backoff of this project: exponential with a maximum, in whole ms. The pause is random between half and all
 * of it, so that callers that failed together do not retry together.
 * @param failures number of failed tries so far; 1 after the first
 */
export function delayBeforeRetry(
  failures: number,
  { firstDelayMs, delayMsMax }: Backoff,
  random: () => number,
): number {
  const full = Math.min(delayMsMax, firstDelayMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return Math.round(full / 2 + (full / 2) * random());
}
