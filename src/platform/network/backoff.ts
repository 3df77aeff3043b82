/** How long to wait between tries. */
export interface Backoff {
  /** Before the second try; doubled before each later one. */
  firstDelayMs: number;
  delayMsMax: number;
}

/**
 * The one pause between tries of this project, on servers, in simulated users and on the player's page: exponential and
 * capped, and between half and all of it by chance, so that those who failed together do not come back together.
 *
 * @param failures how many tries have failed so far; 1 after the first
 * @param random in [0, 1)
 * @returns whole ms
 */
export function delayBeforeRetry(failures: number, { firstDelayMs, delayMsMax }: Backoff, random: () => number): number {
  const full = Math.min(delayMsMax, firstDelayMs * 2 ** Math.min(Math.max(failures - 1, 0), 30));
  return Math.round(full / 2 + (full / 2) * random());
}
