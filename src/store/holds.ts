import { z } from 'zod';
import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys } from './keys.ts';
import { liveRains } from './rains.ts';
import { run } from './scripts.ts';

/**
 * Why a rain is held: the ledger has no such rain · the ledger is an older state, without packets that Redis has · Redis is an older
 * state, without claims that the ledger has credited.
 */
export const HOLD_REASONS = ['unknown_to_ledger', 'ledger_behind', 'redis_behind'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** The reason while an operator restores the rain: it ends with the restore, not by itself. */
export const RESTORING = 'the rain is being restored';

/** `undefined`: not held, or for a reason of somebody else. */
export function holdReasonOf(held: string | null | undefined): HoldReason | undefined {
  return HOLD_REASONS.find((reason) => reason === held);
}

/**
 * Stops granting in a rain, in all shards. Safe to repeat.
 * @returns false: no shard can grant, because Redis has no such rain or it is settled
 */
export async function hold(redis: RedisClient, rainId: string, shards: number, reason: HoldReason): Promise<boolean> {
  let held = false;
  for (let shard = 0; shard < shards; shard++) {
    const done = z.number().parse(await run(redis, 'hold', [shardKeys(rainId, shard).state], [reason]));
    held ||= done === 1;
  }
  return held;
}

/** Ends a hold in all shards, unless the rain is held for another reason meanwhile. Safe to repeat. */
export async function release(redis: RedisClient, rainId: string, shards: number, reason: HoldReason | typeof RESTORING): Promise<void> {
  for (let shard = 0; shard < shards; shard++) await run(redis, 'release', [shardKeys(rainId, shard).state], [reason]);
}

/** The live rains that are held because the stores do not agree. The first shard is held first and released first. */
export async function heldRains(redis: RedisClient): Promise<Map<string, HoldReason>> {
  const rainIds = [...(await liveRains(redis)).keys()];
  const held = await Promise.all(rainIds.map((rainId) => redis.hget(shardKeys(rainId, 0).state, 'held')));
  return new Map(rainIds.flatMap((rainId, i) => {
    const reason = holdReasonOf(held[i]);
    return reason ? [[rainId, reason]] : [];
  }));
}
