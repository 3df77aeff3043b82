import { delayBeforeRetry, type Backoff } from '../network/backoff.ts';

interface RestartLimitRules {
  /** Begun within any minute, at most [R10]. */
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
 * When the next process may take the place of one that died: soon after the first death, later after each further one
 * within a minute, and never more than so many in a minute. A minute without a death and all is forgiven.
 */
export class RestartLimit {
  readonly #rules: Required<RestartLimitRules>;
  /** When those of the last minute were to begin, oldest first. */
  #begun: number[] = [];

  constructor(rules: Partial<RestartLimitRules> = {}) {
    this.#rules = { ...RESTARTS, now: () => performance.now(), random: Math.random, ...rules };
  }

  /** How long to wait with the next one, ms; it counts as begun then. */
  next(): number {
    const { perMinuteMax, backoff, now, random } = this.#rules;
    const at = now();
    this.#begun = this.#begun.filter((moment) => moment > at - MINUTE_MS);
    const pause = delayBeforeRetry(this.#begun.length + 1, backoff, random);
    const full = this.#begun.length >= perMinuteMax ? this.#begun.at(-perMinuteMax)! + MINUTE_MS - at : 0;
    const waitMs = Math.max(pause, full);
    this.#begun.push(at + waitMs);
    return waitMs;
  }
}
