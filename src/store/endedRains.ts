import type { RedisClient } from '../platform/redis/connect.ts';
import { ENDED_RAINS_KEY } from './keys.ts';

/** How long Redis remembers that a rain was settled, after its keys have expired, ms. */
const REMEMBERED_MS = 60 * 24 * 3_600_000;

/** Entries per read [R10]. */
const PAGE = 1_000;

/**
 * Remembers that a rain was settled. Should PostgreSQL come back from a backup that is older than the settlement, this
 * tells that the rain has winners whom the ledger does not know.
 */
export async function rememberEnd(redis: RedisClient, rainId: string, now: number): Promise<void> {
  await redis.hsetnx(ENDED_RAINS_KEY, rainId, now);
}

/** Whether the rain was settled and its keys have expired. */
export async function remembersEnd(redis: RedisClient, rainId: string): Promise<boolean> {
  return (await redis.hexists(ENDED_RAINS_KEY, rainId)) === 1;
}

/** Removes old entries. @param now epoch ms */
export async function forgetOldEnds(redis: RedisClient, now: number): Promise<void> {
  for (let cursor = '0', first = true; first || cursor !== '0'; first = false) {
    const [next, found] = await redis.hscan(ENDED_RAINS_KEY, cursor, 'COUNT', PAGE);
    cursor = next;
    const old = found.filter((_, i) => i % 2 === 0 && !(Number(found[i + 1]) > now - REMEMBERED_MS));
    if (old.length > 0) await redis.hdel(ENDED_RAINS_KEY, ...old);
  }
}
