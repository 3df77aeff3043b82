import { sampleOf } from '../../client/clock.ts';

/** Monotonic milliseconds of this process; `performance.now` except in tests. */
export type Now = () => number;

/**
 * The server's clock by the fastest exchange so far, shared by all bots: thousands in a minute, and no time for clocks
 * to drift.
 */
export class ServerClock {
  readonly #now: Now;
  #offsetMs = 0;
  #roundTripMs = Number.POSITIVE_INFINITY;

  constructor(now: Now) {
    this.#now = now;
  }

  /** @param serverTime epoch ms, from an exchange between `sentAt` and now (monotonic ms) */
  observe(sentAt: number, serverTime: number): void {
    const { offsetMs, roundTripMs } = sampleOf(serverTime, sentAt, this.#now());
    if (roundTripMs < 0 || roundTripMs >= this.#roundTripMs) return;
    this.#roundTripMs = roundTripMs;
    this.#offsetMs = offsetMs;
  }

  /** Epoch ms of the server, with an error of at most half of `roundTripMs`. */
  now(): number {
    return this.#now() + this.#offsetMs;
  }

  get roundTripMs(): number {
    return this.#roundTripMs;
  }
}
