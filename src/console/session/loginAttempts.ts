import { createHash } from 'node:crypto';
import { attemptsKey } from '../../store/keys.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';

const WINDOW_MS = 15 * 60_000;
/**
 * Attempts in 15 minutes. An attacker who knows a name can use up its attempts and lock its owner out until the next window.
 * Open sessions and bearer tokens keep working, and one address alone has too few attempts for it.
 */
const ATTEMPTS_MAX = { address: 20, name: 40 } as const;

/**
 * Whether a login with this name from this address may be tried now. Counts the attempt in Redis before it is made, so that
 * neither parallel attempts nor several consoles allow more.
 */
export async function mayTry(redis: RedisClient, address: string, name: string, now: number = Date.now()): Promise<boolean> {
  const window = Math.floor(now / WINDOW_MS);
  const tried = await Promise.all(([['address', address], ['name', name]] as const).map(async ([kind, value]) => {
    const key = attemptsKey(kind, createHash('sha256').update(value).digest('hex').slice(0, 32), window);
    const count = await redis.incr(key);
    await redis.pexpire(key, WINDOW_MS);
    return count <= ATTEMPTS_MAX[kind];
  }));
  return tried.every(Boolean);
}
