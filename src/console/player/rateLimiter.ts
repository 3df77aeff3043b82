import { TokenBucket } from 'limiter';

/** How often one user may ask for the wallet, and how many users are counted [R10]. */
export const PLAYER_RATE_LIMITS = { perMinute: 60, usersMax: 50_000 } as const satisfies RateLimits;

interface RateLimits {
  /** Burst size, and refill per minute. */
  perMinute: number;
  /** Users remembered [R10]. A forgotten user starts with a full bucket. */
  usersMax: number;
}

/** Limits the requests of one user, counted over all devices. */
export class RateLimiter {
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #rules: RateLimits;

  constructor(rules: RateLimits) {
    this.#rules = rules;
  }

  /** Counts one request. @returns 0, or how long the user must wait, ms */
  take(userId: string): number {
    const bucket = this.#buckets.get(userId) ?? this.#create();
    // Moves the user to the end, so that the least recently active user is forgotten first.
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
