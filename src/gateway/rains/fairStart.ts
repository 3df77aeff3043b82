import { randomInt } from 'node:crypto';
import type { Batcher } from '../../grab/batcher.ts';
import type { GrabAnswer } from '../../grab/engine.ts';
import type { RainSnapshot } from '../../protocol/messages.ts';
import type { PendingGrab } from '../handlers/pendingGrab.ts';
import { isFresh, type CachedRain } from './rainCache.ts';
import { Lottery, type RandomIndex } from './lottery.ts';

interface FairStartRules {
  /** How long grabs are gathered from an opening on, ms; 0: they are not. */
  fairStartMs: number;
  batcher: Pick<Batcher<PendingGrab>, 'hold' | 'addHeld'>;
  /** The last look at this rain. */
  reading: (rainId: string) => Pick<CachedRain, 'claims' | 'lookedAt'> | undefined;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  /** How far that may be from the truth, ms. */
  clockErrorMs: () => number;
  answer: (pending: PendingGrab, rainId: string, given: GrabAnswer) => void;
  /** Called with every grab that is gathered. */
  onGathered?: () => void;
  chance?: RandomIndex;
}

/** So long before an opening grabs begin to be looked at: a process that is busy for longer is late for it, ms. */
const NEAR_MS = 1_000;
/** The lots are drawn one after the other for so long, as a part of the time for which they were gathered. */
const DRAWING = 0.5;
const DRAW_EVERY_MS = 2;
/** Above this a timer would fire at once. */
const TIMER_MS_MAX = 3_600_000;
const PHASES = 1_024;

const NOT_STARTED: GrabAnswer = { code: '-2' };

interface Opening {
  opensAt: number;
  paused: boolean;
  /** Nothing is gathered any more: the rain was paused after it had begun. */
  over: boolean;
  shards: number;
  lottery: Lottery<PendingGrab>;
  /** In [0, 1): where in its turn a lot is drawn, another at each gateway. */
  phase: number;
}

/**
 * The fair start. Who sits nearest, or has the quickest machine, is the first to arrive when a rain opens. So the grabs of its
 * first moment are gathered, and chance decides who is first.
 *
 *     ahead ──1 s before──▶ near ──opensAt──▶ gathering ──fairStartMs──▶ drawing ──half of it──▶ gone
 *                                                 └──paused, closed, opensAt moved away: drawn at once──▶ gone
 *
 * All gateways draw for the same while, however many have come to each: were all lots handed over in one moment, the gateway
 * whose clock is a millisecond ahead would take everything. Who comes while it goes on draws among those that are left.
 *
 * While a rain is near nobody is passed on to Redis who comes too early: on the way the rain might open, and he would be before all
 * that are gathered. Redis still decides about each; here only the order is chosen [R7].
 */
export class FairStart {
  /** Rains that are about to open, or have just opened. While it is 0 no grab need be shown to `take`. */
  near = 0;
  readonly #rules: FairStartRules & { chance: RandomIndex };
  readonly #fairStart = new Map<string, Opening>();
  #timer: NodeJS.Timeout | undefined;

  constructor(rules: FairStartRules) {
    this.#rules = { chance: randomInt, ...rules };
  }

  /** To be called with each change of a rain. */
  expect({ rainId, state, opensAt }: Pick<RainSnapshot, 'rainId' | 'state' | 'opensAt'>): void {
    const { fairStartMs, now: clock } = this.#rules;
    const now = clock();
    if (fairStartMs === 0) return;
    const known = this.#fairStart.get(rainId);
    if (state === 'closed' || state === 'settled') {
      if (known) this.#drawAll(rainId, known);
      this.#fairStart.delete(rainId);
    } else if (known || now < this.#endOf(opensAt)) {
      this.#fairStart.set(rainId, this.#changed(rainId, known ?? this.#newOpening(opensAt), opensAt, state === 'paused', now));
    }
    this.#look();
  }

  #newOpening(opensAt: number): Opening {
    return { opensAt, paused: false, over: false, shards: 1, lottery: this.#newLots(), phase: this.#rules.chance(PHASES) / PHASES };
  }

  #changed(rainId: string, opening: Opening, opensAt: number, paused: boolean, now: number): Opening {
    if (opensAt !== opening.opensAt) {
      // For those who gathered it was no opening after all: Redis tells them.
      if (now < opensAt) this.#drawAll(rainId, opening);
      opening.opensAt = opensAt;
      opening.over = false;
    }
    opening.over ||= opening.paused !== paused && now >= opensAt;
    opening.paused = paused;
    if (opening.over) this.#drawAll(rainId, opening);
    return opening;
  }

  /** @returns false: this grab is not gathered, and goes its way */
  take(rainId: string, shards: number, pending: PendingGrab): boolean {
    const opening = this.#fairStart.get(rainId);
    if (!opening || opening.over || opening.paused) return false;
    const now = this.#rules.now();
    // Who may be early and may be not has the benefit of the doubt.
    if (now < opening.opensAt - this.#rules.clockErrorMs()) return now >= opening.opensAt - NEAR_MS && this.#refuseRemaining(rainId, pending);
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

  /** Who comes too early. Where somebody may have won already, since the start has been moved, Redis has to be asked [R6]. */
  #refuseRemaining(rainId: string, pending: PendingGrab): boolean {
    const rain = this.#rules.reading(rainId);
    if (!rain || rain.claims > 0 || !isFresh(rain)) return false;
    this.#rules.answer(pending, rainId, NOT_STARTED);
    return true;
  }

  readonly #look = (): void => {
    clearTimeout(this.#timer);
    const { fairStartMs, reading, clockErrorMs, now: clock } = this.#rules;
    const now = clock();
    let [near, waitMs] = [0, TIMER_MS_MAX];
    for (const [rainId, opening] of this.#fairStart) {
      const { opensAt } = opening;
      const gathered = opensAt + fairStartMs;
      if (now >= gathered) this.#drawSome(rainId, opening, (now - gathered) / (fairStartMs * DRAWING));
      // The rain is gone, or the clock went back: Redis tells those who wait.
      if (!reading(rainId) || now < opensAt - clockErrorMs()) this.#drawAll(rainId, opening);
      if (now >= this.#endOf(opensAt) || !reading(rainId)) {
        this.#fairStart.delete(rainId);
        continue;
      }
      const isNear = now >= opensAt - NEAR_MS;
      if (isNear) near++;
      waitMs = Math.min(waitMs, now >= gathered ? DRAW_EVERY_MS : isNear ? gathered - now : opensAt - NEAR_MS - now);
    }
    this.near = near;
    if (this.#fairStart.size > 0) this.#timer = setTimeout(this.#look, Math.max(1, waitMs));
  };

  #endOf(opensAt: number): number {
    return opensAt + this.#rules.fairStartMs * (1 + DRAWING);
  }

  /** @param part of the time for drawing that is over; from 1 on nothing is left */
  #drawSome(rainId: string, { lottery, shards, phase }: Opening, part: number): void {
    while (part >= 1 || lottery.drawn < Math.floor(lottery.total * part + phase)) {
      const lot = lottery.draw();
      if (!lot) return;
      for (const pending of lot) this.#rules.batcher.addHeld(rainId, shards, pending);
    }
  }

  #drawAll(rainId: string, opening: Opening): void {
    if (opening.lottery.total === 0) return;
    this.#drawSome(rainId, opening, 1);
    opening.lottery = this.#newLots();
  }

  #newLots(): Lottery<PendingGrab> {
    return new Lottery(this.#rules.chance);
  }
}
