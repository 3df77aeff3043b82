import { sampleOf } from '../client/clock.ts';

/** Monotonic milliseconds of this process; `performance.now` unless a test says otherwise. */
export type Now = () => number;

/**
 * The server's clock as this process knows it, by the quickest exchange seen so far. All bots of a process share one; a client
 * alone has few exchanges and forgets old ones, this one has thousands in a minute, and they are over before clocks drift.
 */
export class ServerClock {
  readonly #now: Now;
  #offsetMs = 0;
  #roundTripMs = Number.POSITIVE_INFINITY;

  constructor(now: Now) {
    this.#now = now;
  }

  /** @param serverTime epoch ms, told in an exchange that went from `askedAt` to now (monotonic ms) */
  observe(askedAt: number, serverTime: number): void {
    const { offsetMs, roundTripMs } = sampleOf(serverTime, askedAt, this.#now());
    if (roundTripMs < 0 || roundTripMs >= this.#roundTripMs) return;
    this.#roundTripMs = roundTripMs;
    this.#offsetMs = offsetMs;
  }

  /** Epoch ms of the server, wrong by at most half of `roundTripMs`. */
  now(): number {
    return this.#now() + this.#offsetMs;
  }

  get roundTripMs(): number {
    return this.#roundTripMs;
  }
}
