import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';

/** How long the figure outlives its last order: longer than a sale is looked at. */
const TTL_SECONDS = 60 * 24 * 3_600;

/** Remembers orders that have timed out before the shop has confirmed them, each once; only for people to see. */
export async function addUndelivered(redis: RedisClient, saleId: string, ordinals: readonly number[]): Promise<void> {
  const { undelivered } = saleKeys(saleId);
  await redis
    .multi()
    .sadd(undelivered, ...ordinals)
    .expire(undelivered, TTL_SECONDS)
    .exec();
}

/**
 * An entry that somebody else has written there counts as none: it is a figure, and must not keep anybody from the
 * others.
 */
export function countUndelivered(redis: RedisClient, saleId: string): Promise<number> {
  return redis.scard(saleKeys(saleId).undelivered).catch((error: unknown) => {
    if (String(error).includes('WRONGTYPE')) return 0;
    throw error;
  });
}
