import type { Limits } from '../limits.ts';

type AdmissionLimits = Pick<Limits, 'grabsPendingMax' | 'grabsPendingMin' | 'grabWaitMs' | 'grabsPerSecond' | 'busyRetryMsMin' | 'busyRetryMsMax'>;

/** What Redis has done since the last look. */
export interface Work {
  /** Grabs decided. */
  decided: number;
  /** For how long there were any to decide, ms. */
  busyMs: number;
  /** The longest that one waited, answered or not, ms. */
  waitMs: number;
  /** What a question takes that stands behind none of our grabs, ms. */
  roundTripMs: number;
  /** The longest turn of our own event loop, ms. */
  stallMs: number;
}

/** Looks over which the rate is measured. */
const LOOKS = 6;
/** How far one look opens the door again, while nobody has to wait: a hundredfold in a second. */
const GROWTH = 1.26;
/** Who waits longer than this part of `grabWaitMs`, beyond the line, has others before him. */
const WAITS_SHARE = 1 / 4;
/** A grab is asked for at the end of one turn, and its answer may be read at the end of the next: so many turns of ours are no fault of Redis's. */
const OWN_TURNS = 2;
/** A line may be long, but not as long as it likes: what it takes is waited for on top of `grabWaitMs`, ms. */
const ROUND_TRIP_MS_MAX = 300;
/** Everybody hears another moment, between half of it and half as much again. */
const JITTER = { least: 0.5, most: 1.5 };

/**
 * How many grabs may wait for Redis: as many as it decides within `grabWaitMs` (Little's law). Who comes when they do is told
 * "busy" at once, and the later to come back the more are told so.
 *
 *     nobody has to wait ──▶ the rate is believed to be what Redis can do at its best, and more when more are refused
 *     grabs have to wait ──▶ the rate is what it has decided lately, in the time in which it had anything to decide
 *
 * Only a Redis that is kept waiting for shows what it can do: the rate in quiet times says what was asked. So it begins with a
 * guess, or the first second of a rain would be refused.
 */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #random: () => number;
  readonly #lately: { decided: number; busyMs: number; refused: number }[] = [];
  #perSecond: number;
  #limit = 0;
  #refused = 0;
  #retryMs: number;

  /** @param random in [0, 1) */
  constructor(limits: AdmissionLimits, random: () => number = Math.random) {
    this.#limits = limits;
    this.#random = random;
    this.#perSecond = limits.grabsPerSecond;
    this.#retryMs = limits.busyRetryMsMin;
    this.#bound(0);
  }

  /** How many grabs may wait now. */
  get limit(): number {
    return this.#limit;
  }

  /** @returns false when one more would be too many */
  admits(pending: number): boolean {
    if (pending < this.#limit) return true;
    this.#refused++;
    return false;
  }

  /** When somebody who hears "busy" is to ask again, ms from now. */
  retryInMs(): number {
    return Math.ceil(this.#retryMs * (JITTER.least + this.#random() * (JITTER.most - JITTER.least)));
  }

  /** To be called about twenty times a second. */
  look({ decided, busyMs, waitMs, roundTripMs, stallMs }: Work): void {
    const refused = this.#refused;
    this.#refused = 0;
    this.#lately.push({ decided, busyMs, refused });
    if (this.#lately.length > LOOKS) this.#lately.shift();
    const away = Math.min(roundTripMs, ROUND_TRIP_MS_MAX);
    if (waitMs >= away + this.#limits.grabWaitMs * WAITS_SHARE + OWN_TURNS * stallMs) this.#perSecond = this.#measured();
    else if (refused > 0 || this.#perSecond < this.#limits.grabsPerSecond) this.#grow(refused > 0);
    this.#bound(away);
    this.#histogram();
  }

  #measured(): number {
    const busyMs = this.#sum('busyMs');
    return busyMs > 0 ? (this.#sum('decided') * 1_000) / busyMs : this.#perSecond;
  }

  /** Beyond the guess only where somebody was refused although nobody had to wait. */
  #grow(wanted: boolean): void {
    const { grabsPerSecond, grabsPendingMax, grabWaitMs } = this.#limits;
    const most = wanted ? (grabsPendingMax * 1_000) / grabWaitMs : grabsPerSecond;
    this.#perSecond = Math.max(this.#perSecond, Math.min(most, this.#perSecond * GROWTH));
  }

  #bound(roundTripMs: number): void {
    const { grabsPendingMin, grabsPendingMax, grabWaitMs } = this.#limits;
    this.#perSecond = Math.max(this.#perSecond, (grabsPendingMin * 1_000) / grabWaitMs);
    this.#limit = Math.min(grabsPendingMax, Math.max(grabsPendingMin, Math.round((this.#perSecond * (grabWaitMs + roundTripMs)) / 1_000)));
  }

  /** Twice as many refused as decided: they will be back, and are served in twice the time. */
  #histogram(): void {
    const { grabWaitMs, busyRetryMsMin, busyRetryMsMax } = this.#limits;
    const excess = this.#sum('refused') / Math.max(1, this.#sum('decided'));
    this.#retryMs = Math.max(busyRetryMsMin, Math.min(busyRetryMsMax / JITTER.most, (grabWaitMs * (1 + excess)) / 2));
  }

  #sum(of: 'decided' | 'busyMs' | 'refused'): number {
    return this.#lately.reduce((sum, look) => sum + look[of], 0);
  }
}
