import { shardKeys } from '../store/keys.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/**
 * A cheap text that changes with nearly everything in a rain: what its state says, and how long its lists and its dedupe hash are.
 * @returns undefined when Redis has nothing of a shard
 */
export async function readCounts(redis: RedisClient, rainId: string, shards: number): Promise<string | undefined> {
  const texts = await Promise.all(Array.from({ length: shards }, async (_, shard) => {
    const keys = shardKeys(rainId, shard);
    const [state, ...rest] = await Promise.all([
      redis.hgetall(keys.state), redis.llen(keys.packets), redis.llen(keys.claims), redis.hlen(keys.claimed), redis.llen(keys.spoiled),
      redis.get(keys.relayed), redis.lindex(keys.claims, 0),
    ]);
    const [packets, claims, claimed] = rest;
    if (Object.keys(state).length === 0 && packets + claims + claimed === 0) return undefined;
    return JSON.stringify([Object.entries(state).sort(), ...rest]);
  }));
  return texts.includes(undefined) ? undefined : texts.join('\n');
}
