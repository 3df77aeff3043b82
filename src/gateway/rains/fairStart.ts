import { randomInt } from 'node:crypto';
import type { Batcher } from '../../grab/batcher.ts';
import type { GrabAnswer } from '../../grab/engine.ts';
import type { RainSnapshot } from '../../protocol/messages.ts';
import type { PendingGrab } from '../handlers/pendingGrab.ts';
import { DRAW_EVERY_MS, DRAWING_PHASES, DRAWING_SHARE, NEAR_MS, TIMER_MS_MAX } from './limits.ts';
import { isFresh, type CachedRain, type RainCache } from './rainCache.ts';
import { Lottery, type RandomIndex } from './lottery.ts';

interface FairStartRules {
  /** How long grabs are gathered after an opening, ms; 0: not at all. */
  fairStartMs: number;
  batcher: Pick<Batcher<PendingGrab>, 'hold' | 'addHeld'>;
  rainCache: Pick<RainCache, 'now' | 'clockErrorMs'> & { reading(rainId: string): Pick<CachedRain, 'claims' | 'readAtMonotonic'> | undefined };
  answer: (pending: PendingGrab, rainId: string, given: GrabAnswer) => void;
  /** Called with every grab that is gathered. */
  onGathered?: () => void;
  chance?: RandomIndex;
}

const NOT_STARTED: GrabAnswer = { code: '-2' };

interface Opening {
  opensAt: number;
  paused: boolean;
  /** Nothing is gathered any more: the rain was paused after it had opened. */
  over: boolean;
  shards: number;
  lottery: Lottery<PendingGrab>;
  /** In [0, 1): the offset of the draws, different at each gateway. */
  phase: number;
}

/**
 * The fair start. Users with the lowest latency would be first at an opening, so a lottery decides the order of the first grabs.
 *
 *     ahead ──1 s before──▶ near ──opensAt──▶ gathering ──fairStartMs──▶ drawing ──half of it──▶ gone
 *                                                 └──paused, closed, opensAt moved away: all drawn at once──▶ gone
 *
 * All gateways draw over the same period: if all lots were drawn in one moment, the gateway whose clock is a millisecond ahead would
 * take every packet. A grab that arrives during the drawing takes part among those that are left.
 *
 * While a rain is near, no early grab is passed on: the rain might open while it is on its way to Redis, and it would be decided before
 * all gathered grabs. Redis still decides each grab; only the order is chosen here [R7].
 */
export class FairStart {
  /** Number of rains that are about to open or have just opened. While it is 0, `take` need not be called. */
  near = 0;
  readonly #rules: FairStartRules & { chance: RandomIndex };
  readonly #openings = new Map<string, Opening>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: FairStartRules) {
    this.#rules = { chance: randomInt, ...rules };
  }

  /** To be called after each change of a rain. */
  expect({ rainId, state, opensAt }: Pick<RainSnapshot, 'rainId' | 'state' | 'opensAt'>): void {
    const { fairStartMs, rainCache } = this.#rules;
    if (fairStartMs === 0) return;
    const now = rainCache.now();
    const known = this.#openings.get(rainId);
    if (state === 'closed' || state === 'settled') {
      if (known) this.#drawAll(rainId, known);
      this.#openings.delete(rainId);
    } else if (known || now < this.#endOf(opensAt)) {
      this.#openings.set(rainId, this.#changed(rainId, known ?? this.#newOpening(opensAt), opensAt, state === 'paused', now));
    }
    this.#advance();
  }

  #newOpening(opensAt: number): Opening {
    const { chance } = this.#rules;
    return { opensAt, paused: false, over: false, shards: 1, lottery: new Lottery(chance), phase: chance(DRAWING_PHASES) / DRAWING_PHASES };
  }

  #changed(rainId: string, opening: Opening, opensAt: number, paused: boolean, now: number): Opening {
    if (opensAt !== opening.opensAt) {
      // The start was moved: pass the gathered grabs on, and Redis answers them.
      if (now < opensAt) this.#drawAll(rainId, opening);
      opening.opensAt = opensAt;
      opening.over = false;
    }
    opening.over ||= opening.paused !== paused && now >= opensAt;
    opening.paused = paused;
    if (opening.over) this.#drawAll(rainId, opening);
    return opening;
  }

  /** @returns false: this grab is not gathered and must be decided as usual */
  take(rainId: string, shards: number, pending: PendingGrab): boolean {
    const opening = this.#openings.get(rainId);
    if (!opening || opening.over || opening.paused) return false;
    const now = this.#rules.rainCache.now();
    // Within the clock error a grab counts as on time.
    if (now < opening.opensAt - this.#rules.rainCache.clockErrorMs()) return now >= opening.opensAt - NEAR_MS && this.#refuseEarly(rainId, pending);
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

  /** Refuses an early grab. If somebody may have won already, since the start was moved, Redis must answer instead [R6]. */
  #refuseEarly(rainId: string, pending: PendingGrab): boolean {
    const rain = this.#rules.rainCache.reading(rainId);
    if (!rain || rain.claims > 0 || !isFresh(rain)) return false;
    this.#rules.answer(pending, rainId, NOT_STARTED);
    return true;
  }

  readonly #advance = (): void => {
    clearTimeout(this.#timer);
    const { fairStartMs, rainCache } = this.#rules;
    const now = rainCache.now();
    let [near, waitMs] = [0, TIMER_MS_MAX];
    for (const [rainId, opening] of this.#openings) {
      const { opensAt } = opening;
      const isKnown = rainCache.reading(rainId) !== undefined;
      const gathered = opensAt + fairStartMs;
      if (now >= gathered) this.#drawSome(rainId, opening, (now - gathered) / (fairStartMs * DRAWING_SHARE));
      // The rain is gone, or the clock was set back: pass the gathered grabs on, and Redis answers them.
      if (!isKnown || now < opensAt - rainCache.clockErrorMs()) this.#drawAll(rainId, opening);
      if (now >= this.#endOf(opensAt) || !isKnown) {
        this.#openings.delete(rainId);
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

  /** @param elapsedShare of the drawing time; from 1 on all remaining lots are drawn */
  #drawSome(rainId: string, { lottery, shards, phase }: Opening, elapsedShare: number): void {
    while (elapsedShare >= 1 || lottery.drawn < Math.floor(lottery.total * elapsedShare + phase)) {
      const lot = lottery.draw();
      if (!lot) return;
      for (const pending of lot) this.#rules.batcher.addHeld(rainId, shards, pending);
    }
  }

  #drawAll(rainId: string, opening: Opening): void {
    if (opening.lottery.total === 0) return;
    this.#drawSome(rainId, opening, 1);
    opening.lottery = new Lottery(this.#rules.chance);
  }
}
