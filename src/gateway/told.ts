import type { ToldClaim } from '../grab/restore.ts';

/** How long, and how many wins, a gateway remembers: a failover is over by then [R10]. */
const TOLD_MS = 120_000;
const TOLD_MAX = 100_000;

/** The wins this gateway has lately told its users, oldest first: what it can put back should Redis lose them. */
export class Told {
  readonly #claims = new Map<string, ToldClaim>();
  readonly #max: number;

  constructor(max = TOLD_MAX) {
    this.#max = max;
  }

  get size(): number {
    return this.#claims.size;
  }

  [Symbol.iterator](): IterableIterator<ToldClaim> {
    return this.#claims.values();
  }

  /**
   * A win that is told again is remembered anew; losers never come here. Old ones are let go only when new ones come, so
   * however long Redis is away, the last ones told before are still known when it is back.
   */
  add(claim: ToldClaim): void {
    const name = `${claim.rainId}/${claim.redPacketId}/${claim.userId}`;
    this.#claims.delete(name);
    this.#claims.set(name, claim);
    for (const [oldest, { at }] of this.#claims) {
      if (this.#claims.size <= this.#max && at >= claim.at - TOLD_MS) return;
      this.#claims.delete(oldest);
    }
  }
}
