import { z } from 'zod';
import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys } from './keys.ts';
import { liveRains } from './rains.ts';
import { run } from './scripts.ts';

/**
 * Why a rain is held: the ledger has no such rain · the ledger is an older state, without packets that Redis has ·
 * Redis is an older state, without claims that the ledger has credited.
 */
export const HOLD_REASONS = ['unknown_to_ledger', 'ledger_behind', 'redis_behind'] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

/** Why a worker holds a sale. `ledger_behind`: Redis has later statuses of orders than the ledger. */
export const SALE_HOLD_REASONS = ['unknown_to_ledger', 'ledger_behind'] as const satisfies readonly HoldReason[];
export type SaleHoldReason = (typeof SALE_HOLD_REASONS)[number];

/** `undefined`: the sale is not held, or somebody else has written the text. */
export function saleHoldReasonOf(held: string | null | undefined): SaleHoldReason | undefined {
  return SALE_HOLD_REASONS.find((reason) => reason === held);
}

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
export async function release(
  redis: RedisClient,
  rainId: string,
  shards: number,
  reason: HoldReason | typeof RESTORING,
): Promise<void> {
  for (let shard = 0; shard < shards; shard++) await run(redis, 'release', [shardKeys(rainId, shard).state], [reason]);
}

/** Rains asked for at once, so that no grab waits for all of them [R10]. */
const RAINS_AT_ONCE = 50;

/**
 * Takes every hold for no reason of ours for one that is certainly not too short: `redis_behind` ends when a comparison
 * has found each credit in Redis and the ledger whole. Released at once it would be wrong if a newer version has made
 * it; left alone it would last for ever.
 * @returns the rains that were held so
 */
export async function reholdForeign(redis: RedisClient): Promise<string[]> {
  const live = [...(await liveRains(redis))];
  const found: string[] = [];
  for (let from = 0; from < live.length; from += RAINS_AT_ONCE) {
    await Promise.all(
      live.slice(from, from + RAINS_AT_ONCE).map(async ([rainId, { shards }]) => {
        const states = Array.from({ length: shards }, (_, shard) => shardKeys(rainId, shard).state);
        // A state of another type is not our business here: the comparison reports it.
        const replies = await Promise.allSettled(
          states.map((state) =>
            run(redis, 'rehold', [state], ['redis_behind' satisfies HoldReason, ...HOLD_REASONS, RESTORING]),
          ),
        );
        if (replies.some((reply) => reply.status === 'fulfilled' && reply.value === 1)) found.push(rainId);
      }),
    );
  }
  return found;
}

/** The number of live rains that a restore holds, one that is under way or was interrupted. */
export async function countRestoring(redis: RedisClient): Promise<number> {
  const rainIds = [...(await liveRains(redis)).keys()];
  const held = await Promise.all(rainIds.map((rainId) => redis.hget(shardKeys(rainId, 0).state, 'held')));
  return held.filter((reason) => reason === RESTORING).length;
}

/** The live rains that are held because the stores do not agree. The first shard is held first and released first. */
export async function heldRains(redis: RedisClient): Promise<Map<string, HoldReason>> {
  const rainIds = [...(await liveRains(redis)).keys()];
  const held = await Promise.all(rainIds.map((rainId) => redis.hget(shardKeys(rainId, 0).state, 'held')));
  return new Map(
    rainIds.flatMap((rainId, i) => {
      const reason = holdReasonOf(held[i]);
      return reason ? [[rainId, reason]] : [];
    }),
  );
}
