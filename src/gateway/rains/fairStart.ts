import { randomInt } from 'node:crypto';
import type { RainState } from '../../rain/rain.ts';
import { DRAW_EVERY_MS, DRAWING_PHASES, DRAWING_SHARE, NEAR_MS, TIMER_MS_MAX } from './limits.ts';
import type { RainCache } from './rainCache.ts';
import { Lottery, type RandomIndex } from './lottery.ts';
import { isFresh, type Reading } from './snapshotCache.ts';

export interface FairStartRules<Pending> {
  /** How long requests are gathered after an opening, ms; 0: not at all. */
  fairStartMs: number;
  /** `hold`: reserves a place for a request that is gathered; false when there is none. `addHeld`: passes it on. */
  batcher: { hold(): boolean; addHeld(id: string, shards: number, pending: Pending): void };
  clock: Pick<RainCache, 'now' | 'clockErrorMs'>;
  /** `isUntouched`: nobody had got anything, and no other answer comes before "not started". */
  reading: (id: string) => (Pick<Reading, 'readAtMonotonic'> & { isUntouched: boolean }) | undefined;
  answerNotStarted: (pending: Pending, id: string) => void;
  /** Called with every request that is gathered. */
  onGathered?: () => void;
  chance?: RandomIndex;
}

interface Opening<Pending extends { readonly userId: string }> {
  opensAt: number;
  paused: boolean;
  /** Nothing is gathered any more: the rain was paused after it had opened. */
  over: boolean;
  shards: number;
  lottery: Lottery<Pending>;
  /** In [0, 1): the offset of the draws, different at each gateway. */
  phase: number;
}

/**
 * The fair start of rains, whose requests are grabs, or of sales, whose requests are purchases. Users with the lowest
 * latency would be first at an opening, so a lottery decides the order of the first requests.
 *
 *     ahead ──1 s before──▶ near ──opensAt──▶ gathering ──fairStartMs──▶ drawing ──half of it──▶ gone
 *                                                 └──paused, closed, opensAt moved away: all drawn at once──▶ gone
 *
 * All gateways draw over the same period: if all lots were drawn in one moment, the gateway whose clock is a
 * millisecond ahead would take everything. A request that arrives during the drawing takes part among those that are
 * left.
 *
 * While an opening is near, no early request is passed on: the opening might come while it is on its way to Redis, and
 * it would be decided before all gathered ones. Redis still decides each request; only the order is chosen here [R7].
 */
export class FairStart<Pending extends { readonly userId: string }> {
  /** Number of rains or sales that are about to open or have just opened. While it is 0, `take` need not be called. */
  near = 0;
  readonly #rules: FairStartRules<Pending> & { chance: RandomIndex };
  readonly #openings = new Map<string, Opening<Pending>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: FairStartRules<Pending>) {
    this.#rules = { chance: randomInt, ...rules };
  }

  /** To be called after each change of a rain or sale. */
  expect(id: string, { state, opensAt }: { state: RainState; opensAt: number }): void {
    const { fairStartMs, clock } = this.#rules;
    if (fairStartMs === 0) return;
    const now = clock.now();
    const known = this.#openings.get(id);
    if (state === 'closed' || state === 'settled') {
      if (known) this.#drawAll(id, known);
      this.#openings.delete(id);
    } else if (known || now < this.#endOf(opensAt)) {
      this.#openings.set(id, this.#changed(id, known ?? this.#newOpening(opensAt), opensAt, state === 'paused', now));
    }
    this.#advance();
  }

  #newOpening(opensAt: number): Opening<Pending> {
    const { chance } = this.#rules;
    return {
      opensAt,
      paused: false,
      over: false,
      shards: 1,
      lottery: new Lottery(chance),
      phase: chance(DRAWING_PHASES) / DRAWING_PHASES,
    };
  }

  #changed(id: string, opening: Opening<Pending>, opensAt: number, paused: boolean, now: number): Opening<Pending> {
    if (opensAt !== opening.opensAt) {
      // The start was moved: pass the gathered requests on, and Redis answers them.
      if (now < opensAt) this.#drawAll(id, opening);
      opening.opensAt = opensAt;
      opening.over = false;
    }
    opening.over ||= opening.paused !== paused && now >= opensAt;
    opening.paused = paused;
    if (opening.over) this.#drawAll(id, opening);
    return opening;
  }

  /** @returns false: this request is not gathered and must be decided as usual */
  take(id: string, shards: number, pending: Pending): boolean {
    const opening = this.#openings.get(id);
    if (!opening || opening.over || opening.paused) return false;
    const now = this.#rules.clock.now();
    // Within the clock error a request counts as on time.
    if (now < opening.opensAt - this.#rules.clock.clockErrorMs())
      return now >= opening.opensAt - NEAR_MS && this.#refuseEarly(id, pending);
    if (!this.#rules.batcher.hold()) return false;
    opening.shards = shards;
    opening.lottery.add(pending);
    this.#rules.onGathered?.();
    return true;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Refuses an early request. If somebody may have got something already, since the start was moved, Redis must answer
   * instead [R6].
   */
  #refuseEarly(id: string, pending: Pending): boolean {
    const reading = this.#rules.reading(id);
    if (!reading?.isUntouched || !isFresh(reading)) return false;
    this.#rules.answerNotStarted(pending, id);
    return true;
  }

  readonly #advance = (): void => {
    clearTimeout(this.#timer);
    const { fairStartMs, clock, reading } = this.#rules;
    const now = clock.now();
    let [near, waitMs] = [0, TIMER_MS_MAX];
    for (const [id, opening] of this.#openings) {
      const { opensAt } = opening;
      const isKnown = reading(id) !== undefined;
      const gathered = opensAt + fairStartMs;
      if (now >= gathered) this.#drawSome(id, opening, (now - gathered) / (fairStartMs * DRAWING_SHARE));
      // It is gone, or the clock was set back: pass the gathered requests on, and Redis answers them.
      if (!isKnown || now < opensAt - clock.clockErrorMs()) this.#drawAll(id, opening);
      if (now >= this.#endOf(opensAt) || !isKnown) {
        this.#openings.delete(id);
        continue;
      }
      const isNear = now >= opensAt - NEAR_MS;
      if (isNear) near++;
      waitMs = Math.min(waitMs, now >= gathered ? DRAW_EVERY_MS : isNear ? gathered - now : opensAt - NEAR_MS - now);
    }
    this.near = near;
    if (this.#openings.size > 0) this.#timer = setTimeout(this.#advance, Math.max(1, waitMs));
  };

  #endOf(opensAt: number): number {
    return opensAt + this.#rules.fairStartMs * (1 + DRAWING_SHARE);
  }

  /** @param elapsedShare share of the drawing time; from 1 on all remaining lots are drawn */
  #drawSome(id: string, { lottery, shards, phase }: Opening<Pending>, elapsedShare: number): void {
    while (elapsedShare >= 1 || lottery.drawn < Math.floor(lottery.total * elapsedShare + phase)) {
      const lot = lottery.draw();
      if (!lot) return;
      for (const pending of lot) this.#rules.batcher.addHeld(id, shards, pending);
    }
  }

  #drawAll(id: string, opening: Opening<Pending>): void {
    if (opening.lottery.total === 0) return;
    this.#drawSome(id, opening, 1);
    opening.lottery = new Lottery(this.#rules.chance);
  }
}
