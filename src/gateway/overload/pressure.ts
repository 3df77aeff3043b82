import { SWITCHES, type SwitchName } from '../../store/killSwitches.ts';
import type { Limits } from '../limits.ts';

/** How the gateway and its Redis feel, looked at about twenty times a second. */
export interface Vitals {
  /** The longest that the event loop kept anybody waiting since the last look, ms. */
  loopDelayMs: number;
  /** What a question to Redis takes, ms. */
  roundTripMs: number;
  /** Since the last answer of Redis, ms. */
  silentMs: number;
}

/**
 * What is given up for what matters more, in this order: the winners' ticker, then joins, then new sockets; and grabs when Redis
 * has said nothing for seconds, since nobody could decide about them.
 *
 *     served ──above its threshold for `strainMs` without a break──▶ given up ──below half of it for `reliefMs`──▶ served
 *
 * A single long turn is no pressure: at the first moment of a rain everybody taps. Grabs come back with the first answer.
 */
export class Pressure {
  readonly #limits: Limits;
  readonly #now: () => number;
  readonly #givenUp = new Set<SwitchName>();
  /** Since when each of them has been above its threshold or, given up, below half of it. */
  readonly #turningSince = new Map<SwitchName, number>();

  /** @param now monotonic ms */
  constructor(limits: Limits, now: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#now = now;
  }

  /** Something has to be given up. */
  get pressed(): boolean {
    return this.#givenUp.size > 0;
  }

  givesUp(name: SwitchName): boolean {
    return this.#givenUp.has(name);
  }

  /** @returns whether anything has changed */
  look(vitals: Vitals): boolean {
    let changed = false;
    for (const name of SWITCHES) if (this.#turns(name, this.#strain(name, vitals))) changed = true;
    return changed;
  }

  /** 1 is the threshold. */
  #strain(name: SwitchName, { loopDelayMs, roundTripMs, silentMs }: Vitals): number {
    const l = this.#limits;
    switch (name) {
      case 'ticker': return Math.max(loopDelayMs / l.tickerLoopDelayMs, roundTripMs / l.tickerRoundTripMs);
      case 'joins': return Math.max(loopDelayMs / l.joinsLoopDelayMs, roundTripMs / l.joinsRoundTripMs);
      case 'sockets': return Math.max(loopDelayMs / l.socketsLoopDelayMs, roundTripMs / l.socketsRoundTripMs);
      case 'grabs': return silentMs / l.grabsSilentMs;
      default: return name satisfies never;
    }
  }

  #turns(name: SwitchName, strain: number): boolean {
    const given = this.#givenUp.has(name);
    if (given ? strain >= 0.5 : strain < 1) {
      this.#turningSince.delete(name);
      return false;
    }
    const now = this.#now();
    const since = this.#turningSince.get(name) ?? now;
    this.#turningSince.set(name, since);
    // Seconds of silence need not be looked at for longer, nor does an answer.
    if (name !== 'grabs' && now - since < (given ? this.#limits.overloadMs : this.#limits.strainMs)) return false;
    this.#turningSince.delete(name);
    if (given) this.#givenUp.delete(name);
    else this.#givenUp.add(name);
    return true;
  }
}
