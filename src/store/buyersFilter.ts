import { roundOf } from '../rain/campaign.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import { countUsers, readUsers } from './userFilter.ts';

/** The buyers of a sale as a filter: it never misses one, but it may name users who have reserved nothing. */
export interface Buyers {
  /** False: the user has reserved nothing. True: the user may have; ask Redis. */
  mayHold(userId: string): boolean;
  /** As in `StoredSale`, when the reading began. If both are still the same, nobody has reserved since. */
  made: number;
  newest: string;
}

/**
 * For a sale of a campaign the filter holds every buyer of the campaign: only the script can decide who has reached its
 * limit.
 */
export async function readBuyers(redis: RedisClient, saleId: string): Promise<Buyers> {
  const { state, reservations, buyers, bought } = saleKeys(saleId);
  // Read the log first: a reservation during the reading then makes the result outdated, not wrong.
  const [made, newest] = await Promise.all([redis.hget(state, 'made'), redis.lindex(reservations, 0)]);
  const hashes = roundOf(saleId) ? [buyers, bought] : [buyers];
  const filter = await readUsers(redis, hashes, await countUsers(redis, saleId, hashes));
  return { mayHold: (userId) => filter.has(userId), made: Number(made ?? 0), newest: newest ?? '' };
}
