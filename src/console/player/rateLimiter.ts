import { TokenBucket } from 'limiter';
import { createExpiringCache } from '../../wallet/cache.ts';

const MINUTE_MS = 60_000;

/** So many at the same moment, and so many more with each minute. */
export interface RateLimit {
  atOnceMax: number;
  perMinute: number;
  /** Callers remembered [R10]. A forgotten caller starts anew. */
  callersRemembered: number;
}

/** How often one user may ask for the wallet, counted over all devices [R10]. */
export const WALLETS_PER_USER: RateLimit = { atOnceMax: 60, perMinute: 60, callersRemembered: 50_000 };

/** Token buckets by caller: a user, or an address. Each answer is how long the caller must wait, ms; 0: not at all. */
export function createRateLimiter({ atOnceMax, perMinute, callersRemembered }: RateLimit) {
  const buckets = createExpiringCache<TokenBucket>(callersRemembered);
  // A bucket that nobody has used for so long is full again, so it need not be remembered.
  const fullAfterMs = (atOnceMax / perMinute) * MINUTE_MS;

  function fullBucket(): TokenBucket {
    const bucket = new TokenBucket({ bucketSize: atOnceMax, tokensPerInterval: perMinute, interval: 'minute' });
    bucket.content = atOnceMax;
    return bucket;
  }

  return {
    /** Counts one, if it may be. */
    take(caller: string): number {
      const bucket = buckets.get(caller) ?? fullBucket();
      buckets.set(caller, bucket, fullAfterMs);
      return bucket.tryRemoveTokens(1) ? 0 : Math.ceil(Math.max(1, bucket.getWaitTime(1)));
    },
  };
}
