import { TokenBucket } from 'limiter';

/** How often one user may ask for the wallet, and how many users are counted [R10]. */
export const PLAYER_RATE_LIMITS = { perMinute: 60, usersMax: 50_000 } as const satisfies RateLimits;

interface RateLimits {
  /** So many at once, and so many again in a minute. */
  perMinute: number;
  /** Users remembered [R10]; who is forgotten begins anew. */
  usersMax: number;
}

/** How often one user may ask, on all his devices together. */
export class RateLimiter {
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #rules: RateLimits;

  constructor(rules: RateLimits) {
    this.#rules = rules;
  }

  /** Counts one question. @returns 0, or when he may ask again, ms from now */
  take(userId: string): number {
    const bucket = this.#buckets.get(userId) ?? this.#create();
    // To the end of the row: whoever has asked least lately is forgotten first.
    this.#buckets.delete(userId);
    this.#buckets.set(userId, bucket);
    if (this.#buckets.size > this.#rules.usersMax) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket.tryRemoveTokens(1) ? 0 : Math.ceil(Math.max(1, bucket.getWaitTime(1)));
  }

  #create(): TokenBucket {
    const { perMinute } = this.#rules;
    const bucket = new TokenBucket({ bucketSize: perMinute, tokensPerInterval: perMinute, interval: 'minute' });
    bucket.content = perMinute;
    return bucket;
  }
}
