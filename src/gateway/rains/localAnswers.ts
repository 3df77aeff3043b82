import type { GrabAnswer } from '../../grab/engine.ts';
import { readWinners, type Winners } from '../../store/winnersFilter.ts';
import { stateAt } from '../../rain/rain.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { OPENING_MARGIN_MS, WINNERS_REST_MS, WINNERS_REST_MS_MAX, WINNERS_REST_SHARE } from './limits.ts';
import { isFresh, type CachedRain, type RainCache } from './rainCache.ts';

interface LocalAnswersRules {
  redis: RedisClient;
  rainCache: Pick<RainCache, 'reading' | 'refresh' | 'now' | 'clockErrorMs'>;
  onFault: (error: unknown) => void;
}

const GONE: GrabAnswer = { code: '-1' };
const NOT_STARTED: GrabAnswer = { code: '-2' };
const ENDED: GrabAnswer = { code: '-3' };

/**
 * Answers grabs without Redis. Once the packets are gone, or while the rain is not open, the engine would refuse all who have not won.
 * They are refused here, and only possible winners are passed on to Redis [R6], as long as snapshots show that nobody has won since the
 * winners were read. In any doubt Redis is asked.
 */
export class LocalAnswers {
  readonly #rules: LocalAnswersRules;
  /** The winners, and the latest snapshot that agreed with them. */
  readonly #winners = new Map<string, { winners: Winners; agreed: CachedRain | undefined }>();
  /** The rain whose winners are being read, one at a time. If it is forgotten meanwhile, the result is dropped. */
  readonly #reading = new Map<string, symbol>();
  #busy = false;
  /** Until when each rain is not read again, ms of the monotonic clock; and until when none is. */
  readonly #resting = new Map<string, number>();
  #allRestUntil = 0;

  constructor(rules: LocalAnswersRules) {
    this.#rules = rules;
  }

  /** Number of rains whose winners are known. */
  get size(): number {
    return this.#winners.size;
  }

  /** The answer that the engine would give; `undefined`: ask the engine. */
  answer(rainId: string, userId: string): GrabAnswer | undefined {
    const known = this.#winners.get(rainId);
    if (!known) return undefined;
    const rain = this.#rules.rainCache.reading(rainId);
    if (rain !== known.agreed) known.agreed = rain && agree(rain, known.winners) ? rain : undefined;
    if (!known.agreed) {
      this.#winners.delete(rainId);
      return undefined;
    }
    return known.winners.mayHaveWon(userId) ? undefined : this.#conclusion(known.agreed);
  }

  /** To be called when the engine has refused a grab: further refusals may not need Redis. */
  heardNo(rainId: string): void {
    if (this.#busy || this.#winners.has(rainId)) return;
    const now = performance.now();
    if (now >= this.#allRestUntil && now >= (this.#resting.get(rainId) ?? 0)) void this.#learn(rainId);
  }

  /** To be called when a rain has changed; without an id, when any rain may have changed. */
  forget(rainId?: string): undefined {
    for (const known of [this.#winners, this.#reading, this.#resting]) {
      if (rainId === undefined) known.clear();
      else known.delete(rainId);
    }
  }

  async #learn(rainId: string): Promise<void> {
    const mark = Symbol(rainId);
    const beganAt = performance.now();
    this.#reading.set(rainId, mark);
    this.#busy = true;
    let winners: Winners | undefined;
    try {
      winners = await this.#readWinners(rainId);
    } catch (error) {
      this.#rules.onFault(error);
    }
    this.#busy = false;
    const now = performance.now();
    this.#allRestUntil = now + Math.min(WINNERS_REST_MS_MAX, WINNERS_REST_SHARE * (now - beganAt));
    this.#tidy(now);
    if (this.#reading.get(rainId) !== mark) return;
    this.#reading.delete(rainId);
    this.#resting.set(rainId, now + WINNERS_REST_MS);
    if (winners) this.#winners.set(rainId, { winners, agreed: undefined });
  }

  /** Drops rains that are gone: nobody may ever ask for them again. */
  #tidy(now: number): void {
    for (const rainId of this.#winners.keys()) if (!this.#rules.rainCache.reading(rainId)) this.#winners.delete(rainId);
    for (const [rainId, until] of this.#resting) if (now >= until) this.#resting.delete(rainId);
  }

  /** Reads the winners if the rain has a conclusion both before and after the reading. */
  async #readWinners(rainId: string): Promise<Winners | undefined> {
    const { redis, rainCache } = this.#rules;
    // The latest snapshot may be from before the last packet went.
    if (!this.#concluded(rainId)) await rainCache.refresh(rainId);
    const before = this.#concluded(rainId);
    if (!before) return undefined;
    const winners = await readWinners(redis, rainId, before.shards);
    await rainCache.refresh(rainId);
    const after = this.#concluded(rainId);
    return after && agree(after, winners) ? winners : undefined;
  }

  #concluded(rainId: string): CachedRain | undefined {
    const rain = this.#rules.rainCache.reading(rainId);
    return rain && this.#conclusion(rain) ? rain : undefined;
  }

  /** The answer for every user who has not won, in the order of the checks in `lua/grab.lua`; `undefined`: only Redis can answer. */
  #conclusion(rain: CachedRain): GrabAnswer | undefined {
    if (!isFresh(rain)) return undefined;
    const { rainCache } = this.#rules;
    const now = rainCache.now();
    const state = stateAt(rain, now);
    switch (state) {
      case 'draft':
      case 'loaded': return now < rain.opensAt - Math.max(OPENING_MARGIN_MS, rainCache.clockErrorMs()) ? NOT_STARTED : undefined;
      case 'open': return rain.left === 0 ? GONE : undefined;
      // Until Redis shows that the rain is over, somebody may have won after the latest snapshot.
      case 'closed':
      case 'settled': return rain.state === 'closed' || rain.state === 'settled' || rain.readAt > rain.closesAt + rainCache.clockErrorMs() ? ENDED : undefined;
      case 'paused': return undefined;
      default: return state satisfies never;
    }
  }
}

/** Nobody has won between the readings, and the log is the same: one that lost an entry and got another one has another newest entry. */
function agree(rain: CachedRain, { claims, newest }: Winners): boolean {
  return rain.claims === claims && rain.newest === newest;
}
