import { shardKeys } from '../store/keys.ts';
import { STATE_LIMITS } from '../store/rains.ts';
import { readHash } from '../store/readHash.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/**
 * A cheap text that changes with nearly everything in a rain: what its state says, and how long its lists and its
 * dedupe hash are.
 * @returns undefined when Redis has nothing of a shard
 */
export async function readCounts(redis: RedisClient, rainId: string, shards: number): Promise<string | undefined> {
  const texts = await Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const keys = shardKeys(rainId, shard);
      const [state, ...rest] = await Promise.all([
        readHash(redis, keys.state, STATE_LIMITS),
        redis.llen(keys.packets),
        redis.llen(keys.claims),
        redis.hlen(keys.claimed),
        redis.llen(keys.spoiled),
        redis.get(keys.relayed),
        redis.lindex(keys.claims, 0),
      ]);
      const [packets, claims, claimed] = rest;
      if (state && Object.keys(state).length === 0 && packets + claims + claimed === 0) return undefined;
      return JSON.stringify([state ? Object.entries(state).sort() : 'not one of ours', ...rest]);
    }),
  );
  return texts.includes(undefined) ? undefined : texts.join('\n');
}
