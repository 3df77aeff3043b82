import { z } from 'zod';
import { roundOf } from '../rain/campaign.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { campaignKeys, shardKeys } from './keys.ts';
import { run } from './scripts.ts';

/** A user and a round of the campaign that he has won in. */
export interface Win {
  userId: string;
  round: number;
}

/** What one script call adds: well under a millisecond of Redis's time. */
export const WINS_MAX = 500;

/**
 * Lets a round take part in its campaign, and adds to the campaign's wins what is known elsewhere; see lua/enlist.lua. Safe to
 * repeat, with wins that are known already and with old ones.
 * @param wins of users of this shard, at most WINS_MAX; may be none
 * @returns false: Redis knows no such round, or it is settled
 */
export async function enlist(redis: RedisClient, rainId: string, shard: number, wins: readonly Win[]): Promise<boolean> {
  const { wins: known, rounds } = campaignKeys(rainId, shard);
  const args = wins.flatMap(({ userId, round }) => [userId, round]);
  return z.int().parse(await run(redis, 'enlist', [shardKeys(rainId, shard).state, known, rounds], [roundOf(rainId)!.round, ...args])) >= 0;
}

/** A round is settled: with the last one the campaign's wins expire as its keys do. Nothing for a rain of its own. Safe to repeat. */
export async function leave(redis: RedisClient, rainId: string, shards: number, ttlMs: number): Promise<void> {
  const name = roundOf(rainId);
  if (!name) return;
  for (let shard = 0; shard < shards; shard++) {
    const { wins, rounds } = campaignKeys(rainId, shard);
    await run(redis, 'leave', [wins, rounds], [name.round, ttlMs]);
  }
}
