import { LIVE_RAINS_KEY } from '../store/keys.ts';
import { readLog } from '../store/rains.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { ReadLog } from './carry.ts';

/** Returns whether this many replicas have all earlier writes. WAIT counts writes up to the read before it. */
export function awaitReplicas(redis: RedisClient, replicas: number, waitMs: number): () => Promise<boolean> {
  return async () => {
    const [, acknowledged] = await Promise.all([redis.exists(LIVE_RAINS_KEY), redis.wait(replicas, waitMs)]);
    return acknowledged >= replicas;
  };
}

/**
 * Reads only entries that this many replicas have too. Where wins are told only after replication, they must not be credited
 * earlier: a claim that a failover undoes would stay in the ledger, and the next user of its packet would find the money gone.
 * @param redis a connection of its own, since WAIT blocks it; both commands are sent in one turn of the event loop, so that the
 * same server answers both or none
 */
export function readReplicated(redis: RedisClient, replicas: number, waitMs: number): ReadLog {
  return async (key, from, to) => {
    const [entries, acknowledged] = await Promise.all([readLog(redis, key, from, to), redis.wait(replicas, waitMs)]);
    return acknowledged >= replicas ? entries : [];
  };
}
