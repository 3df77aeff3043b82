/** Monotonic milliseconds of this process; `performance.now` unless a test says otherwise. */
export type Now = () => number;

/**
 * The server's clock as this process knows it: offset and error come from the quickest exchange seen so far, because the
 * server read its clock somewhere within it (Cristian's algorithm). All bots of a process share one.
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
    const heardAt = this.#now();
    const roundTripMs = heardAt - askedAt;
    if (roundTripMs < 0 || roundTripMs >= this.#roundTripMs) return;
    this.#roundTripMs = roundTripMs;
    this.#offsetMs = serverTime - (askedAt + heardAt) / 2;
  }

  /** Epoch ms of the server, wrong by at most half of `roundTripMs`. */
  now(): number {
    return this.#now() + this.#offsetMs;
  }

  get roundTripMs(): number {
    return this.#roundTripMs;
  }
}
