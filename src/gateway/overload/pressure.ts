import { SWITCHES, type SwitchName } from '../../store/killSwitches.ts';
import type { Limits } from '../limits.ts';

/** The load of the gateway and of Redis, sampled about twenty times a second. */
export interface LoadSample {
  /** The longest delay of the event loop since the last sample, ms. */
  loopDelayMs: number;
  /** Round trip of a command to Redis, ms. */
  roundTripMs: number;
  /** Time since the last answer of Redis, ms. */
  silentMs: number;
}

/**
 * Switches functions off under load: the winners' ticker, then joins, then new sockets. Grabs are switched off only
 * when Redis has not answered for seconds, since then nobody can decide about them.
 *
 *     on ──above its threshold for `strainMs` without a break──▶ off ──below half of it for `overloadMs`──▶ on
 *
 * A single long turn is no overload: at the opening of a rain everybody taps. Grabs are on again with the first answer.
 */
export class Pressure {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #off = new Set<SwitchName>();
  /** Since when a function that is on has been above its threshold, or one that is off below half of it. */
  readonly #crossedSince = new Map<SwitchName, number>();

  /** @param now monotonic ms */
  constructor(limits: Limits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** At least one function is switched off. */
  get pressed(): boolean {
    return this.#off.size > 0;
  }

  givesUp(name: SwitchName): boolean {
    return this.#off.has(name);
  }

  /** @returns whether anything has changed */
  update(load: LoadSample): boolean {
    return SWITCHES.filter((name) => this.#toggles(name, this.#strain(name, load))).length > 0;
  }

  /** 1 is the threshold. */
  #strain(name: SwitchName, { loopDelayMs, roundTripMs, silentMs }: LoadSample): number {
    const l = this.#limits;
    if (name === 'grabs') return silentMs / l.grabsSilentMs;
    return Math.max(loopDelayMs / l[`${name}LoopDelayMs`], roundTripMs / l[`${name}RoundTripMs`]);
  }

  #toggles(name: SwitchName, strain: number): boolean {
    const isOff = this.#off.has(name);
    if (isOff ? strain >= 0.5 : strain < 1) {
      this.#crossedSince.delete(name);
      return false;
    }
    const now = this.#now();
    const since = this.#crossedSince.get(name) ?? now;
    this.#crossedSince.set(name, since);
    // The threshold for grabs already is a time of several seconds, and one answer ends it.
    if (name !== 'grabs' && now - since < (isOff ? this.#limits.overloadMs : this.#limits.strainMs)) return false;
    this.#crossedSince.delete(name);
    if (isOff) this.#off.delete(name);
    else this.#off.add(name);
    return true;
  }
}
