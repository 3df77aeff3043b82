import { TokenBucket } from 'limiter';
import { createExpiringCache } from '../../wallet/cache.ts';

/** How often one user may ask for the wallet, counted over all devices: the size of a burst, and the refill per minute [R10]. */
export const PER_MINUTE_PER_USER = 60;
/** Users remembered [R10]. A forgotten user starts with a full bucket. */
const USERS_MAX = 50_000;

/** @returns counts one request of a user, and says how long the user must wait, ms; 0: not at all */
export function createRateLimiter(perMinute: number): (userId: string) => number {
  const buckets = createExpiringCache<TokenBucket>(USERS_MAX);
  return (userId) => {
    const bucket = buckets.get(userId) ?? fullBucket(perMinute);
    // After a minute without requests a bucket is full again, so it need not be remembered.
    buckets.set(userId, bucket, 60_000);
    return bucket.tryRemoveTokens(1) ? 0 : Math.ceil(Math.max(1, bucket.getWaitTime(1)));
  };
}

function fullBucket(perMinute: number): TokenBucket {
  const bucket = new TokenBucket({ bucketSize: perMinute, tokensPerInterval: perMinute, interval: 'minute' });
  bucket.content = perMinute;
  return bucket;
}
