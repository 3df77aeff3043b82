/** How far two clocks drift apart at most while both run, ms per ms: one that is being put right slowly among them. */
const DRIFT = 0.0005;

/**
 * Redis's clock as estimated here, from answers to "what time is it?" [R7]. It runs on the monotonic clock: a machine whose date is
 * wrong, or is put right, changes nothing. An answer that was long on its way, or lay unread while this process was busy, tells
 * little: the estimate would be wrong by half of that. So one that came quickly stands until it is too old to be better.
 */
export class RedisClock {
  #offsetMs = 0;
  #learntAt = 0;
  #errorMs = Number.POSITIVE_INFINITY;

  /** Epoch ms. */
  now(): number {
    return Math.round(performance.now() + this.#offsetMs);
  }

  /** How far `now` may be from the truth at most, ms. */
  errorMs(at = performance.now()): number {
    return this.#errorMs + (at - this.#learntAt) * DRIFT;
  }

  /**
   * @param told epoch ms, cut to whole ones
   * @param asked when the question went out, and @param heard when its answer was read, ms of the monotonic clock
   */
  learn(told: number, asked: number, heard: number): void {
    const offsetMs = told + 0.5 - (asked + heard) / 2;
    const errorMs = (heard - asked) / 2 + 0.5;
    const standing = this.errorMs(heard);
    // Where both cannot be true, the clock was set, or the server is another: then the newer one is.
    if (errorMs > standing && Math.abs(offsetMs - this.#offsetMs) <= errorMs + standing) return;
    this.#offsetMs = offsetMs;
    this.#learntAt = heard;
    this.#errorMs = errorMs;
  }
}
