import type { GrabAnswer } from '../grab/engine.ts';
import { readWinners, type Winners } from '../grab/winners.ts';
import { stateAt } from '../rain/rain.ts';
import type { RedisClient } from '../runtime/redis.ts';
import type { DatedReading } from './board.ts';

export interface ForegoneRules {
  redis: RedisClient;
  /** The last look at this rain. */
  reading: (rainId: string) => DatedReading | undefined;
  /** Has the board look at it again. */
  refresh: (rainId: string) => Promise<void>;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  onFault: (error: unknown) => void;
}

/** Closer to the opening than this the estimate of Redis's clock decides nothing, ms. */
const OPENING_MARGIN_MS = 100;
/** After a look that concluded nothing, ms. */
const REST_MS = 500;
/** Older readings are no ground to say anything from: Redis may have been replaced meanwhile, ms. */
const READING_AGE_MS_MAX = 3_000;

const GONE: GrabAnswer = { code: '-1' };
const NOT_STARTED: GrabAnswer = { code: '-2' };
const ENDED: GrabAnswer = { code: '-3' };

/**
 * What the engine would say is known beforehand for nearly everybody once the packets are gone, or the rain is over or has
 * not begun: a no, for all who have not won. So it is said here, and Redis is asked for the others only [R6]. It holds as
 * long as readings of the rain say that nobody has won since the winners were read; any doubt leads to Redis.
 */
export class Foregone {
  readonly #rules: ForegoneRules;
  readonly #winners = new Map<string, Winners>();
  /** Rains whose winners are being read; one that is forgotten meanwhile is not kept. */
  readonly #reading = new Map<string, symbol>();
  /** Rains that were looked at in vain, and until when they are let be, by Redis's clock. */
  readonly #resting = new Map<string, number>();

  constructor(rules: ForegoneRules) {
    this.#rules = rules;
  }

  /** What the engine would answer, or `undefined`: ask it. */
  answer(rainId: string, userId: string): GrabAnswer | undefined {
    const winners = this.#winners.get(rainId);
    if (!winners) return undefined;
    const rain = this.#rules.reading(rainId);
    if (!rain || rain.claims !== winners.claims) return this.forget(rainId);
    return winners.mayHold(userId) ? undefined : conclusionFor(rain, this.#rules.now());
  }

  /** The engine has said no to somebody: perhaps there are more who need not ask. */
  heardNo(rainId: string): void {
    if (this.#winners.has(rainId) || this.#reading.has(rainId)) return;
    if (this.#rules.now() >= (this.#resting.get(rainId) ?? 0)) void this.#learn(rainId);
  }

  /** Something about the rain has changed; without an id, about any of them. */
  forget(rainId?: string): undefined {
    for (const known of [this.#winners, this.#reading, this.#resting]) {
      if (rainId === undefined) known.clear();
      else known.delete(rainId);
    }
  }

  async #learn(rainId: string): Promise<void> {
    const { now, onFault } = this.#rules;
    const mark = Symbol(rainId);
    this.#reading.set(rainId, mark);
    let winners: Winners | undefined;
    try {
      winners = await this.#readWinners(rainId);
    } catch (error) {
      onFault(error);
    }
    if (this.#reading.get(rainId) !== mark) return;
    this.#reading.delete(rainId);
    if (winners) this.#winners.set(rainId, winners);
    else this.#resting.set(rainId, now() + REST_MS);
  }

  /** Those of a rain about which there is a conclusion, before and after they were read. */
  async #readWinners(rainId: string): Promise<Winners | undefined> {
    const { redis, reading, refresh, now } = this.#rules;
    const before = await this.#concluded(rainId);
    if (!before) return undefined;
    const winners = await readWinners(redis, rainId, before.shards);
    await refresh(rainId);
    const after = reading(rainId);
    return after?.claims === winners.claims && conclusionFor(after, now()) ? winners : undefined;
  }

  /** The board's last look may be from before the last packet went. */
  async #concluded(rainId: string): Promise<DatedReading | undefined> {
    const { reading, refresh, now } = this.#rules;
    const conclusive = () => {
      const rain = reading(rainId);
      return rain && conclusionFor(rain, now()) ? rain : undefined;
    };
    const known = conclusive();
    if (known) return known;
    await refresh(rainId);
    return conclusive();
  }
}

/** What everybody hears who has not won, in the order in which `lua/grab.lua` would look; `undefined`: that is not foregone. */
function conclusionFor(rain: DatedReading, now: number): GrabAnswer | undefined {
  if (now - rain.readAt > READING_AGE_MS_MAX) return undefined;
  const state = stateAt(rain, now);
  switch (state) {
    case 'draft':
    case 'loaded': return now < rain.opensAt - OPENING_MARGIN_MS ? NOT_STARTED : undefined;
    case 'open': return rain.left === 0 ? GONE : undefined;
    // Until it is seen to be over, somebody may have won after the last look.
    case 'closed':
    case 'settled': return rain.state === 'closed' || rain.state === 'settled' || rain.readAt >= rain.closesAt ? ENDED : undefined;
    case 'paused': return undefined;
    default: return state satisfies never;
  }
}
