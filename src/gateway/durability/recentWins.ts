import type { SentWin } from '../../grab/restore.ts';
import { GENERATION_MS, RECENT_WINS_MAX } from './limits.ts';

/**
 * The wins that this gateway has recently sent to its users. If Redis loses them, they can be put back. When the younger of two
 * generations is full or too old, the older one is dropped as a whole: dropping entries one by one would cost more than the win itself.
 */
export class RecentWins {
  #older = new Map<string, SentWin>();
  #younger = new Map<string, SentWin>();
  #youngerSince = 0;
  readonly #generationMax: number;

  constructor(max = RECENT_WINS_MAX) {
    this.#generationMax = Math.floor(max / 2);
  }

  /** Each win once, roughly in the order in which they were sent. */
  *[Symbol.iterator](): IterableIterator<SentWin> {
    for (const [name, claim] of this.#older) if (!this.#younger.has(name)) yield claim;
    yield* this.#younger.values();
  }

  /**
   * Only new wins drop a generation: however long Redis is unreachable, the last wins before the outage are still here.
   * @returns the first win that was sent to this user in this rain; usually the same
   */
  add(claim: SentWin): SentWin {
    const name = `${claim.rainId}/${claim.userId}`;
    const known = this.#younger.get(name);
    if (known && claim.at < this.#youngerSince + GENERATION_MS) return known;
    const first = known ?? this.#older.get(name) ?? claim;
    if (this.#younger.size >= this.#generationMax || claim.at >= this.#youngerSince + GENERATION_MS) {
      this.#older = this.#younger;
      this.#younger = new Map();
      this.#youngerSince = claim.at;
    }
    this.#younger.set(name, first);
    return first;
  }
}
