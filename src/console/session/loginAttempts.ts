import { createHash } from 'node:crypto';
import { attemptsKey } from '../../store/keys.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';

const WINDOW_MS = 15 * 60_000;
/**
 * In a quarter of an hour. Who knows a name may use its attempts up and keep its owner out until the next one begins: an open
 * session and a bearer token are not touched by it, and from one address he cannot do it alone.
 */
const ATTEMPTS_MAX = { address: 20, name: 40 } as const;

/**
 * Whether somebody may try this name from this address now. Counts the attempt before it is made, in Redis, so that neither
 * many at once nor many desks are worth more.
 */
export async function mayTry(redis: RedisClient, address: string, name: string, now: number = Date.now()): Promise<boolean> {
  const window = Math.floor(now / WINDOW_MS);
  const tried = await Promise.all(([['address', address], ['name', name]] as const).map(async ([whose, who]) => {
    const key = attemptsKey(whose, createHash('sha256').update(who).digest('hex').slice(0, 32), window);
    const count = await redis.incr(key);
    await redis.pexpire(key, WINDOW_MS);
    return count <= ATTEMPTS_MAX[whose];
  }));
  return tried.every(Boolean);
}
