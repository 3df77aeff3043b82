import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import { run } from './scripts.ts';

/** The oldest wishes to cancel of a sale, as `lua/cancel.lua` wrote them, oldest first. */
export async function readWishes(redis: RedisClient, saleId: string, limit: number): Promise<string[]> {
  return (await redis.lrange(saleKeys(saleId).cancels, -limit, -1)).reverse();
}

/**
 * Removes the oldest wishes, and puts those that were too early behind all others, once each. Safe to repeat, and by
 * two workers at once.
 * @param oldest as `readWishes` gave them
 * @returns false: others are the oldest by now, and nothing was changed
 */
export async function removeWishes(
  redis: RedisClient,
  saleId: string,
  oldest: readonly string[],
  tooEarly: readonly string[],
): Promise<boolean> {
  return (
    (await run(
      redis,
      'wishesdone',
      [saleKeys(saleId).cancels],
      [oldest.length, ...oldest.toReversed(), ...new Set(tooEarly)],
    )) === 1
  );
}

/**
 * Takes or renews the lease on the wishes of a sale; with `leaseMs` 0 it is released. It only saves work.
 * @returns false: another worker has it
 */
export async function leaseWishes(
  redis: RedisClient,
  saleId: string,
  owner: string,
  leaseMs: number,
): Promise<boolean> {
  return (await run(redis, 'lease', [saleKeys(saleId).cancelling], [owner, leaseMs])) === 1;
}
