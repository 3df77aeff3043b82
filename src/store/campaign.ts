import { z } from 'zod';
import { roundOf } from '../rain/campaign.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { campaignKeys, shardKeys } from './keys.ts';
import { run } from './scripts.ts';

export interface Win {
  userId: string;
  round: number;
}

/** Wins per script call: well under a millisecond of Redis's time. */
export const WINS_MAX = 500;

/**
 * Adds a round to its campaign, and adds wins known from elsewhere to the campaign's wins; see lua/enlist.lua. Safe to
 * repeat, also with known or old wins.
 * @param wins by users of this shard, at most WINS_MAX; may be empty
 * @returns false: Redis has no such round, or the round is settled
 */
export async function enlist(
  redis: RedisClient,
  rainId: string,
  shard: number,
  wins: readonly Win[],
): Promise<boolean> {
  const { wins: known, rounds } = campaignKeys(rainId, shard);
  const args = wins.flatMap(({ userId, round }) => [userId, round]);
  return (
    z
      .int()
      .parse(
        await run(redis, 'enlist', [shardKeys(rainId, shard).state, known, rounds], [roundOf(rainId)!.round, ...args]),
      ) >= 0
  );
}

/**
 * Removes a settled round from its campaign, whose wins expire after the last round. Nothing for other rains. Safe to
 * repeat.
 */
export async function leave(redis: RedisClient, rainId: string, shards: number, ttlMs: number): Promise<void> {
  const name = roundOf(rainId);
  if (!name) return;
  for (let shard = 0; shard < shards; shard++) {
    const { wins, rounds } = campaignKeys(rainId, shard);
    await run(redis, 'leave', [wins, rounds], [name.round, ttlMs]);
  }
}
