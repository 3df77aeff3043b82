import type { Limits } from '../limits.ts';
import { OWN_TURNS, QUEUED_WAIT_SHARE, RATE_GROWTH, RATE_SAMPLES, RETRY_JITTER, ROUND_TRIP_MS_MAX } from './limits.ts';

/** The work of Redis since the last sample. */
export interface Work {
  /** Grabs decided. */
  decided: number;
  /** How long there were grabs to decide, ms. */
  busyMs: number;
  /** The longest wait of a grab, answered or not, ms. */
  waitMs: number;
  /** Round trip of a command that does not queue behind our grabs, ms. */
  roundTripMs: number;
  /** The longest turn of our own event loop, ms. */
  stallMs: number;
}

/**
 * Limits how many grabs may wait for Redis: as many as it decides within `grabWaitMs` (Little's law). A grab beyond the
 * limit is answered "busy" at once. The more grabs are refused, the later they are asked to retry.
 *
 *     no grab has to wait ──▶ the rate is an estimate of Redis's best; it grows while grabs are refused
 *     grabs have to wait  ──▶ the rate is what Redis has decided recently, per time in which it had grabs to decide
 *
 * In quiet times the measured rate is just the demand. So it starts with an estimate, or the first second of a rain
 * would be refused.
 */
export class Admission {
  readonly #limits: Limits;
  readonly #random: () => number;
  readonly #samples: { decided: number; busyMs: number; refused: number }[] = [];
  #perSecond: number;
  /** How many grabs may wait now. */
  limit = 0;
  #refused = 0;
  #retryMs: number;

  /** @param random in [0, 1) */
  constructor(limits: Limits, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
    this.#perSecond = limits.grabsPerSecond;
    this.#retryMs = limits.busyRetryMsMin;
    this.#updateLimit(0);
  }

  /** @returns false when one more would be too many */
  admits(pending: number): boolean {
    if (pending < this.limit) return true;
    this.#refused++;
    return false;
  }

  /** Retry delay of a "busy" answer, ms. */
  retryInMs(): number {
    return Math.ceil(this.#retryMs * (RETRY_JITTER.least + this.#random() * (RETRY_JITTER.most - RETRY_JITTER.least)));
  }

  /** To be called about twenty times a second. */
  update({ decided, busyMs, waitMs, roundTripMs, stallMs }: Work): void {
    const refused = this.#refused;
    this.#refused = 0;
    this.#samples.push({ decided, busyMs, refused });
    if (this.#samples.length > RATE_SAMPLES) this.#samples.shift();
    const roundTrip = Math.min(roundTripMs, ROUND_TRIP_MS_MAX);
    if (waitMs >= roundTrip + this.#limits.grabWaitMs * QUEUED_WAIT_SHARE + OWN_TURNS * stallMs)
      this.#perSecond = this.#measured();
    else if (refused > 0 || this.#perSecond < this.#limits.grabsPerSecond) this.#grow(refused > 0);
    this.#updateLimit(roundTrip);
    this.#updateRetry();
  }

  #measured(): number {
    const busyMs = this.#sum('busyMs');
    return busyMs > 0 ? (this.#sum('decided') * 1_000) / busyMs : this.#perSecond;
  }

  /** Grows beyond the initial estimate only if grabs were refused although none had to wait. */
  #grow(refusing: boolean): void {
    const { grabsPerSecond, grabsPendingMax, grabWaitMs } = this.#limits;
    const most = refusing ? (grabsPendingMax * 1_000) / grabWaitMs : grabsPerSecond;
    this.#perSecond = Math.max(this.#perSecond, Math.min(most, this.#perSecond * RATE_GROWTH));
  }

  #updateLimit(roundTripMs: number): void {
    const { grabsPendingMin, grabsPendingMax, grabWaitMs } = this.#limits;
    this.#perSecond = Math.max(this.#perSecond, (grabsPendingMin * 1_000) / grabWaitMs);
    this.limit = Math.min(
      grabsPendingMax,
      Math.max(grabsPendingMin, Math.round((this.#perSecond * (grabWaitMs + roundTripMs)) / 1_000)),
    );
  }

  /** Refused grabs come back. With twice as many refused as decided, serving them takes twice the time. */
  #updateRetry(): void {
    const { grabWaitMs, busyRetryMsMin, busyRetryMsMax } = this.#limits;
    const excess = this.#sum('refused') / Math.max(1, this.#sum('decided'));
    this.#retryMs = Math.max(
      busyRetryMsMin,
      Math.min(busyRetryMsMax / RETRY_JITTER.most, (grabWaitMs * (1 + excess)) / 2),
    );
  }

  #sum(of: 'decided' | 'busyMs' | 'refused'): number {
    return this.#samples.reduce((sum, sample) => sum + sample[of], 0);
  }
}
