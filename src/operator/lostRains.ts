import { shardKeys } from '../store/keys.ts';
import { liveRains, readRain, redisNow } from '../store/rains.ts';
import type { BookedRain } from '../ledger/rains.ts';
import type { OperatorContext } from './context.ts';

/**
 * Has Redis forgotten a rain in which something may have been won? To be asked before the rain is written down there
 * once more: with its claim log gone, its packets would be handed out, or its money given back, a second time.
 */
export async function hasLost(context: OperatorContext, rain: BookedRain): Promise<boolean> {
  if (await readRain(context.redis, rain.id, rain)) return false;
  return await wasLoaded(context, rain.id) && await redisNow(context.redis) >= rain.opensAt;
}

/** `load` is on record before the first packet is in Redis: without it nobody can have won. */
async function wasLoaded({ ledger }: OperatorContext, rainId: string): Promise<boolean> {
  return (await ledger.actions(rainId)).some(({ verb }) => verb === 'load');
}

/**
 * Rains with packets that the book has not settled, and of which Redis knows nothing any more, or not every shard, or that
 * its index no longer names: after a FLUSHALL, or a restart without what was written last. Whether they have opened or not.
 * One that is being loaded for the first time this very moment may be among them: look twice.
 */
export async function vanishedRains(context: OperatorContext): Promise<string[]> {
  // The book first: a rain that is settled in between is gone from the index, and rightly.
  const rains = await context.ledger.rains(1_000, 'unsettled');
  if (rains.length === 0) return [];
  const live = await liveRains(context.redis);
  const vanished: string[] = [];
  for (const { id, shards } of rains) {
    const present = await Promise.all(Array.from({ length: shards }, (_, shard) => context.redis.exists(shardKeys(id, shard).state)));
    if (live.has(id) && present.every((count) => count === 1)) continue;
    if (await wasLoaded(context, id) && (await context.ledger.rain(id))?.settledAt === undefined) vanished.push(id);
  }
  return vanished;
}
