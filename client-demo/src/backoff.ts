/** Bounds of a pause before the next try, milliseconds. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
}

/** A gateway that restarts sends everybody away at once: half of each pause is chance, so that they do not return at once. */
export const RECONNECT: Backoff = { firstMs: 400, maxMs: 10_000 };
export const ASK_AGAIN: Backoff = { firstMs: 300, maxMs: 3_000 };

/** @param attempt 0 for the first pause; each next one is twice as long, up to the maximum */
export function pauseMs({ firstMs, maxMs }: Backoff, attempt: number, random: () => number): number {
  const longest = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return longest / 2 + random() * (longest / 2);
}
