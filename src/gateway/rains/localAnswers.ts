import type { GrabAnswer } from '../../grab/engine.ts';
import { readWinners, type Winners } from '../../store/winners.ts';
import { stateAt } from '../../rain/rain.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { isFresh, type CachedRain } from './rainCache.ts';

interface LocalAnswersRules {
  redis: RedisClient;
  /** The last look at this rain. */
  reading: (rainId: string) => CachedRain | undefined;
  /** Has the board look at it again. */
  refresh: (rainId: string) => Promise<void>;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  /** How far that may be from the truth, ms. */
  clockErrorMs: () => number;
  onFault: (error: unknown) => void;
}

/** Closer to the opening than this the estimate of Redis's clock decides nothing, ms. */
const OPENING_MARGIN_MS = 100;
/** After a look at a rain, ms. */
const REST_MS = 500;
/** After winners were read, as a multiple of the time that took: it is Redis's time, and it has other things to do. */
const REST_SHARE = 9;
const REST_MS_MAX = 5_000;

const GONE: GrabAnswer = { code: '-1' };
const NOT_STARTED: GrabAnswer = { code: '-2' };
const ENDED: GrabAnswer = { code: '-3' };

/**
 * What the engine would say is known beforehand for nearly everybody once the packets are gone, or the rain is over or has
 * not begun: a no, for all who have not won. So it is said here, and Redis is asked for the others only [R6]. It holds as
 * long as readings of the rain say that nobody has won since the winners were read; any doubt leads to Redis.
 */
export class LocalAnswers {
  readonly #rules: LocalAnswersRules;
  /** The winners, and the last reading of their rain that agreed with them. */
  readonly #winners = new Map<string, { winners: Winners; agreed: CachedRain | undefined }>();
  /** The rain whose winners are being read, one at a time; when it is forgotten meanwhile they are not kept. */
  readonly #reading = new Map<string, symbol>();
  #busy = false;
  /** Rains that were looked at, and until when they are let be, ms of the monotonic clock; and until when all are. */
  readonly #resting = new Map<string, number>();
  #allRestUntil = 0;

  constructor(rules: LocalAnswersRules) {
    this.#rules = rules;
  }

  /** Rains whose winners are known. */
  get size(): number {
    return this.#winners.size;
  }

  /** What the engine would answer, or `undefined`: ask it. */
  answer(rainId: string, userId: string): GrabAnswer | undefined {
    const known = this.#winners.get(rainId);
    if (!known) return undefined;
    const rain = this.#rules.reading(rainId);
    if (rain !== known.agreed) known.agreed = rain && agree(rain, known.winners) ? rain : undefined;
    if (!known.agreed) {
      this.#winners.delete(rainId);
      return undefined;
    }
    return known.winners.mayHold(userId) ? undefined : this.#conclusion(known.agreed);
  }

  /** The engine has said no to somebody: perhaps there are more who need not ask. */
  heardNo(rainId: string): void {
    if (this.#busy || this.#winners.has(rainId)) return;
    const now = performance.now();
    if (now >= this.#allRestUntil && now >= (this.#resting.get(rainId) ?? 0)) void this.#learn(rainId);
  }

  /** Something about the rain has changed; without an id, about any of them. */
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
    this.#allRestUntil = now + Math.min(REST_MS_MAX, REST_SHARE * (now - beganAt));
    this.#tidy(now);
    if (this.#reading.get(rainId) !== mark) return;
    this.#reading.delete(rainId);
    this.#resting.set(rainId, now + REST_MS);
    if (winners) this.#winners.set(rainId, { winners, agreed: undefined });
  }

  /** Nobody may ever ask again for a rain that is over and gone. */
  #tidy(now: number): void {
    for (const rainId of this.#winners.keys()) if (!this.#rules.reading(rainId)) this.#winners.delete(rainId);
    for (const [rainId, until] of this.#resting) if (now >= until) this.#resting.delete(rainId);
  }

  /** Those of a rain about which there is a conclusion, before and after they were read. */
  async #readWinners(rainId: string): Promise<Winners | undefined> {
    const { redis, reading, refresh } = this.#rules;
    const before = await this.#concluded(rainId);
    if (!before) return undefined;
    const winners = await readWinners(redis, rainId, before.shards);
    await refresh(rainId);
    const after = reading(rainId);
    return after && agree(after, winners) && this.#conclusion(after) ? winners : undefined;
  }

  /** The board's last look may be from before the last packet went. */
  async #concluded(rainId: string): Promise<CachedRain | undefined> {
    const { reading, refresh } = this.#rules;
    const conclusive = () => {
      const rain = reading(rainId);
      return rain && this.#conclusion(rain) ? rain : undefined;
    };
    const known = conclusive();
    if (known) return known;
    await refresh(rainId);
    return conclusive();
  }

  #conclusion(rain: CachedRain): GrabAnswer | undefined {
    if (!isFresh(rain)) return undefined;
    return conclusionFor(rain, this.#rules.now(), this.#rules.clockErrorMs);
  }
}

/**
 * Nobody has won between the two, and it is the same log: one that has lost an entry, as after a failover, and got another
 * instead, is as long and ends otherwise.
 */
function agree(rain: CachedRain, { claims, newest }: Winners): boolean {
  return rain.claims === claims && rain.newest === newest;
}

/** What everybody hears who has not won, in the order in which `lua/grab.lua` would look; `undefined`: that is not local answer. */
function conclusionFor(rain: CachedRain, now: number, clockErrorMs: () => number): GrabAnswer | undefined {
  const state = stateAt(rain, now);
  switch (state) {
    case 'draft':
    case 'loaded': return now < rain.opensAt - Math.max(OPENING_MARGIN_MS, clockErrorMs()) ? NOT_STARTED : undefined;
    case 'open': return rain.left === 0 ? GONE : undefined;
    // Until it is seen to be over, somebody may have won after the last look.
    case 'closed':
    case 'settled': return rain.state === 'closed' || rain.state === 'settled' || rain.readAt > rain.closesAt + clockErrorMs() ? ENDED : undefined;
    case 'paused': return undefined;
    default: return state satisfies never;
  }
}
