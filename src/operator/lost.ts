import { readRain, redisNow } from '../grab/reading.ts';
import type { BookedRain } from '../ledger/rains.ts';
import type { Desk } from './desk.ts';

/**
 * Has Redis forgotten a rain in which something may have been won? To be asked before the rain is written down there
 * once more: with its claim log gone, its packets would be handed out, or its money given back, a second time.
 */
export async function hasLost(desk: Desk, rain: BookedRain): Promise<boolean> {
  if (await readRain(desk.redis, rain.id, rain)) return false;
  // `load` is on record before the first packet is in Redis: without it nobody can have won.
  const loaded = (await desk.ledger.actions(rain.id)).some(({ verb }) => verb === 'load');
  return loaded && await redisNow(desk.redis) >= rain.opensAt;
}
