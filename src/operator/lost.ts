import { shardKeys } from '../grab/keys.ts';
import { liveRains, readRain, redisNow } from '../grab/reading.ts';
import type { BookedRain } from '../ledger/rains.ts';
import type { Desk } from './desk.ts';

/**
 * Has Redis forgotten a rain in which something may have been won? To be asked before the rain is written down there
 * once more: with its claim log gone, its packets would be handed out, or its money given back, a second time.
 */
export async function hasLost(desk: Desk, rain: BookedRain): Promise<boolean> {
  if (await readRain(desk.redis, rain.id, rain)) return false;
  return await wasLoaded(desk, rain.id) && await redisNow(desk.redis) >= rain.opensAt;
}

/** `load` is on record before the first packet is in Redis: without it nobody can have won. */
async function wasLoaded({ ledger }: Desk, rainId: string): Promise<boolean> {
  return (await ledger.actions(rainId)).some(({ verb }) => verb === 'load');
}

/**
 * Rains with packets that the book has not settled, and of which Redis knows nothing any more, or not every shard, or that
 * its index no longer names: after a FLUSHALL, or a restart without what was written last. Whether they have opened or not.
 * One that is being loaded for the first time this very moment may be among them: look twice.
 */
export async function vanishedRains(desk: Desk): Promise<string[]> {
  // The book first: a rain that is settled in between is gone from the index, and rightly.
  const rains = await desk.ledger.rains(1_000, 'unsettled');
  if (rains.length === 0) return [];
  const live = await liveRains(desk.redis);
  const vanished: string[] = [];
  for (const { id, shards } of rains) {
    const present = await Promise.all(Array.from({ length: shards }, (_, shard) => desk.redis.exists(shardKeys(id, shard).state)));
    if (live.has(id) && present.every((count) => count === 1)) continue;
    if (await wasLoaded(desk, id) && (await desk.ledger.rain(id))?.settledAt === undefined) vanished.push(id);
  }
  return vanished;
}
