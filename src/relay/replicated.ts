import { LIVE_RAINS_KEY } from '../store/keys.ts';
import { readEntries } from '../store/rains.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { ReadLog } from './carry.ts';

/** Whether this many replicas have all that was written until now. The read in front is what WAIT counts from. */
export function awaitReplicas(redis: RedisClient, replicas: number, waitMs: number): () => Promise<boolean> {
  return async () => {
    const reading = redis.exists(LIVE_RAINS_KEY);
    const [, acknowledged] = await Promise.all([reading, redis.wait(replicas, waitMs)]);
    return acknowledged >= replicas;
  };
}

/**
 * Reads only what this many replicas have, too. Where wins are told only when they are replicated, they must not be credited
 * before: a claim that a failover takes back would stand in the book, and whoever is told the same packet next, or the
 * same user with another one, would find the money gone.
 *
 * @param redis a connection of its own, since WAIT blocks it; both commands go out in one turn of the event loop, so that
 *   they are answered by the same server or not at all
 */
export function readReplicated(redis: RedisClient, replicas: number, waitMs: number): ReadLog {
  return async (rainId, shard, from, to) => {
    const reading = readEntries(redis, rainId, shard, from, to);
    const [entries, acknowledged] = await Promise.all([reading, redis.wait(replicas, waitMs)]);
    return acknowledged >= replicas ? entries : [];
  };
}
