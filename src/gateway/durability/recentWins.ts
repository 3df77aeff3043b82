import type { ToldClaim } from '../../grab/restore.ts';

/** How long a win is remembered at least and at most twice; a failover is over by then. And how many are at most [R10]. */
const GENERATION_MS = 60_000;
const TOLD_MAX = 100_000;

/**
 * The wins this gateway has lately told its users: what it can put back should Redis lose them.
 *
 * Two generations: the younger one takes what is told, and when it is full or old the older one is dropped whole. A win thus
 * costs one entry of a map; taking the oldest out of one map, win by win, would cost more than the win itself.
 */
export class RecentWins {
  #older = new Map<string, ToldClaim>();
  #younger = new Map<string, ToldClaim>();
  #bornAt = 0;
  readonly #generationMax: number;

  constructor(max = TOLD_MAX) {
    this.#generationMax = Math.floor(max / 2);
  }

  /** Each win once, roughly in the order in which they were told. */
  *[Symbol.iterator](): IterableIterator<ToldClaim> {
    for (const [name, claim] of this.#older) if (!this.#younger.has(name)) yield claim;
    yield* this.#younger.values();
  }

  /**
   * Losers never come here. A generation goes only when new wins come, so however long Redis is away, the last ones told
   * before are still known when it is back.
   */
  add(claim: ToldClaim): void {
    if (this.#younger.size >= this.#generationMax || claim.at >= this.#bornAt + GENERATION_MS) {
      this.#older = this.#younger;
      this.#younger = new Map();
      this.#bornAt = claim.at;
    }
    const name = `${claim.redPacketId}/${claim.userId}`;
    if (!this.#younger.has(name)) this.#younger.set(name, claim);
  }
}
