import type { Now } from './clock.ts';

const TURN_MS = 10;

/** Lets a limited number of callers pass per second, in order of arrival; one timer for all of them [R10]. */
export class Throttle {
  readonly #perSecond: number;
  readonly #now: Now;
  #waiting: ((passed: boolean) => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #turnedAt = 0;
  /** Unused passes, including fractions. */
  #earned = 0;
  #closed = false;

  /** @throws RangeError unless `perSecond` is above 0 */
  constructor(perSecond: number, now: Now) {
    if (!(perSecond > 0 && Number.isFinite(perSecond)))
      throw new RangeError(`expected connects per second above 0, got ${perSecond}`);
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Resolves with true when the caller may pass, with false when the throttle is closed. */
  pass(): Promise<boolean> {
    if (this.#closed) return Promise.resolve(false);
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#timer) return;
      this.#turnedAt = this.#now();
      this.#timer = setInterval(() => this.#turn(), TURN_MS);
    });
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    for (const resolve of this.#waiting.splice(0)) resolve(false);
  }

  #turn(): void {
    const now = this.#now();
    // After a stalled event loop, the unused passes are dropped, so that there is no burst.
    const turnMs = Math.min(now - this.#turnedAt, 10 * TURN_MS);
    this.#earned = Math.min(this.#earned + (turnMs * this.#perSecond) / 1_000, Math.max(1, this.#perSecond / 10));
    this.#turnedAt = now;
    const through = Math.floor(this.#earned);
    this.#earned -= through;
    for (const resolve of this.#waiting.splice(0, through)) resolve(true);
    if (this.#waiting.length === 0) this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
