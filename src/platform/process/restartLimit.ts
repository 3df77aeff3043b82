import { delayBeforeRetry, type Backoff } from '../network/backoff.ts';

const RULES = {
  /** Most starts within any minute [R10]. */
  perMinuteMax: 10,
  backoff: { firstDelayMs: 250, delayMsMax: 5_000 } as Backoff,
  now: () => performance.now(),
  random: Math.random,
};
const MINUTE_MS = 60_000;

/**
 * When the replacement of a dead process may start: soon after the first death, later after each further one within a
 * minute.
 */
export class RestartLimit {
  readonly #rules: typeof RULES;
  /** Start times of the last minute, oldest first. */
  #starts: number[] = [];

  constructor(rules: Partial<typeof RULES> = {}) {
    this.#rules = { ...RULES, ...rules };
  }

  /** How long to wait before the next start, ms. The start is then counted. */
  next(): number {
    const { perMinuteMax, backoff, now, random } = this.#rules;
    const at = now();
    this.#starts = this.#starts.filter((moment) => moment > at - MINUTE_MS);
    const pause = delayBeforeRetry(this.#starts.length + 1, backoff, random);
    const full = this.#starts.length >= perMinuteMax ? this.#starts.at(-perMinuteMax)! + MINUTE_MS - at : 0;
    const waitMs = Math.max(pause, full);
    this.#starts.push(at + waitMs);
    return waitMs;
  }
}
