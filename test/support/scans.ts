import type { RedisClient } from '../../src/platform/redis/connect.ts';

/** How many pages of hashes this Redis has read so far. */
export async function scansOf(redis: RedisClient): Promise<number> {
  return Number(/^cmdstat_hscan:calls=(\d+)/m.exec(await redis.info('commandstats'))?.[1] ?? 0);
}
