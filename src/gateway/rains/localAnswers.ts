import type { GrabAnswer } from '../../grab/engine.ts';
import type { Winners, WinnersReader } from '../../store/winnersFilter.ts';
import { stateAt, type RainWindow } from '../../rain/rain.ts';
import { KnownHolders } from './knownHolders.ts';
import { OPENING_MARGIN_MS } from './limits.ts';
import type { CachedRain, RainCache } from './rainCache.ts';
import { isFresh, type Reading } from './snapshotCache.ts';

interface LocalAnswersRules {
  read: WinnersReader;
  rainCache: Pick<RainCache, 'reading' | 'refresh' | 'now' | 'clockErrorMs'>;
  onFault: (error: unknown) => void;
}

const GONE: GrabAnswer = { code: '-1' };

/**
 * Answers grabs without Redis. Once the packets are gone, or while the rain is not open, the engine would refuse all
 * who have not won. They are refused here, and only possible winners are passed on to Redis [R6], as long as snapshots
 * show that nobody has won since the winners were read. In any doubt Redis is asked.
 */
export class LocalAnswers {
  readonly #winners: KnownHolders<CachedRain, Winners>;
  readonly #rainCache: LocalAnswersRules['rainCache'];

  constructor({ read, rainCache, onFault }: LocalAnswersRules) {
    this.#rainCache = rainCache;
    this.#winners = new KnownHolders({
      reading: (rainId) => rainCache.reading(rainId),
      refresh: (rainId) => rainCache.refresh(rainId),
      concludes: (rain) => this.#conclusion(rain) !== undefined,
      read: (rainId, { shards }) => read(rainId, shards),
      agree,
      onFault,
    });
  }

  /** Number of rains whose winners are known. */
  get size(): number {
    return this.#winners.size;
  }

  /** The answer that the engine would give; `undefined`: ask the engine. */
  answer(rainId: string, userId: string): GrabAnswer | undefined {
    const known = this.#winners.of(rainId);
    return !known || known.holders.mayHaveWon(userId) ? undefined : this.#conclusion(known.stored);
  }

  /** To be called when the engine has refused a grab: further refusals may not need Redis. */
  heardNo(rainId: string): void {
    this.#winners.heardNo(rainId);
  }

  /** To be called when a rain has changed; without an id, when any rain may have changed. */
  forget(rainId?: string): undefined {
    return this.#winners.forget(rainId);
  }

  /**
   * The answer for every user who has not won, in the order of the checks in `lua/grab.lua`; `undefined`: only Redis
   * can answer.
   */
  #conclusion(rain: CachedRain): GrabAnswer | undefined {
    // Winners of a lost shard are not among those that were read.
    if (rain.lostShards) return undefined;
    const found = whileShut(rain, this.#rainCache);
    return found === 'open' ? (rain.drained ? GONE : undefined) : found;
  }
}

type Shut = { code: '-2' | '-3' };
const NOT_STARTED: Shut = { code: '-2' };
const ENDED: Shut = { code: '-3' };

/**
 * The answer before the opening and after the end, of a rain or a sale; `open`: neither; `undefined`: only Redis can
 * answer.
 */
export function whileShut(
  reading: RainWindow & Reading,
  clock: Pick<RainCache, 'now' | 'clockErrorMs'>,
): Shut | 'open' | undefined {
  if (!isFresh(reading)) return undefined;
  const now = clock.now();
  const state = stateAt(reading, now);
  switch (state) {
    case 'draft':
    case 'loaded':
      return now < reading.opensAt - Math.max(OPENING_MARGIN_MS, clock.clockErrorMs()) ? NOT_STARTED : undefined;
    case 'open':
      return 'open';
    // Until Redis shows that it is over, somebody may have won after the latest reading.
    case 'closed':
    case 'settled':
      return reading.state === 'closed' ||
        reading.state === 'settled' ||
        reading.readAt > reading.closesAt + clock.clockErrorMs()
        ? ENDED
        : undefined;
    case 'paused':
      return undefined;
    default:
      return state satisfies never;
  }
}

/**
 * Nobody has won between the readings, and the log is the same: one that lost an entry and got another one has another
 * newest entry.
 */
function agree(rain: CachedRain, { claims, newest }: Winners): boolean {
  return rain.claims === claims && rain.newest === newest;
}
