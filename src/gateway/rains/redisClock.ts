import { CLOCK_DRIFT } from './limits.ts';

/**
 * Estimates Redis's clock from TIME replies [R7]. The estimate runs on the monotonic clock, so a wrong or corrected
 * date of this machine changes nothing. Its error is up to half a round trip, so a quick reply is kept until it is too
 * old to be better than a newer one.
 */
export class RedisClock {
  #offsetMs = 0;
  #learntAt = 0;
  #errorMs = Number.POSITIVE_INFINITY;

  /** Epoch ms. */
  now(): number {
    return Math.round(performance.now() + this.#offsetMs);
  }

  /** Maximum error of `now`, ms. */
  errorMs(at = performance.now()): number {
    return this.#errorMs + (at - this.#learntAt) * CLOCK_DRIFT;
  }

  /**
   * @param redisTime epoch ms, rounded down. The others: when the command was sent and its reply was read, ms of the
   * monotonic clock
   */
  learn(redisTime: number, sentAt: number, receivedAt: number): void {
    const offsetMs = redisTime + 0.5 - (sentAt + receivedAt) / 2;
    const errorMs = (receivedAt - sentAt) / 2 + 0.5;
    const currentErrorMs = this.errorMs(receivedAt);
    // If both estimates cannot be true, the clock was set or the server replaced: then the newer one counts.
    if (errorMs > currentErrorMs && Math.abs(offsetMs - this.#offsetMs) <= errorMs + currentErrorMs) return;
    this.#offsetMs = offsetMs;
    this.#learntAt = receivedAt;
    this.#errorMs = errorMs;
  }
}
