import type { RedisClient } from '../platform/redis/connect.ts';
import { ENDED_RAINS_KEY } from './keys.ts';

/** How long Redis remembers that a rain was settled, after its keys have expired, ms. */
const REMEMBERED_MS = 60 * 24 * 3_600_000;

/**
 * Remembers that a rain was settled. Should PostgreSQL come back from a backup that is older than the settlement, this tells that the
 * rain has winners whom the ledger does not know.
 */
export async function rememberEnd(redis: RedisClient, rainId: string, now: number): Promise<void> {
  await redis.hsetnx(ENDED_RAINS_KEY, rainId, now);
}

/** Whether the rain was settled and its keys have expired. */
export async function remembersEnd(redis: RedisClient, rainId: string): Promise<boolean> {
  return await redis.hexists(ENDED_RAINS_KEY, rainId) === 1;
}

/** Removes old entries. @param now epoch ms */
export async function forgetOldEnds(redis: RedisClient, now: number): Promise<void> {
  const old = Object.entries(await redis.hgetall(ENDED_RAINS_KEY)).filter(([, at]) => !(Number(at) > now - REMEMBERED_MS)).map(([rainId]) => rainId);
  if (old.length > 0) await redis.hdel(ENDED_RAINS_KEY, ...old);
}
