import { delayBeforeRetry, type Backoff } from '../network/backoff.ts';

interface RestartLimitRules {
  /** Most starts within any minute [R10]. */
  perMinuteMax: number;
  backoff: Backoff;
  /** Monotonic ms. */
  now?: () => number;
  /** In [0, 1). */
  random?: () => number;
}

const RESTARTS = { perMinuteMax: 10, backoff: { firstDelayMs: 250, delayMsMax: 5_000 } } as const;
const MINUTE_MS = 60_000;

/**
 * When the replacement of a dead process may start: soon after the first death, later after each further one within a minute, and
 * never more than the limit in a minute. After a minute without a death the pauses are short again.
 */
export class RestartLimit {
  readonly #rules: Required<RestartLimitRules>;
  /** Start times of the last minute, oldest first. */
  #starts: number[] = [];

  constructor(rules: Partial<RestartLimitRules> = {}) {
    this.#rules = { ...RESTARTS, now: () => performance.now(), random: Math.random, ...rules };
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
