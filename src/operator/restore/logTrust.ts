import { shardKeys } from '../../store/keys.ts';
import { ELEMENTS_PAGE } from '../../store/rains.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import type { OperatorContext } from '../context.ts';
import { redisNow } from '../../store/rains.ts';
import { elementIn } from './packetElements.ts';

/**
 * Whether the claim log of a shard without a state has all of its wins, as far as the other keys tell: it reaches to
 * the relay's cursor, and every packet that is neither won nor in the old list was set aside as spoiled. Before the
 * rain opens nobody can have won.
 * @param unclaimed elements of the packets that nobody is known to have won
 */
export async function isLogTrusted(
  { redis }: OperatorContext,
  rain: BookedRain,
  shard: number,
  unclaimed: readonly string[],
): Promise<boolean> {
  if ((await redisNow(redis)) < rain.opensAt) return true;
  const keys = shardKeys(rain.id, shard);
  const [state, claims, relayed, hasList, spoiled] = await Promise.all([
    redis.hget(keys.state, 'state'),
    redis.llen(keys.claims),
    redis.get(keys.relayed),
    redis.exists(keys.packets),
    redis.llen(keys.spoiled),
  ]);
  // A draft in which users had won is an older state of Redis: the wins since then are unknown.
  if (state !== null || Number(relayed ?? 0) > claims) return false;
  if (hasList === 0) return claims > 0;
  const listed = new Set<string | undefined>();
  for (let from = 0; ; from += ELEMENTS_PAGE) {
    const page = await redis.lrange(keys.packets, from, from + ELEMENTS_PAGE - 1);
    for (const element of page) listed.add(elementIn(element));
    if (page.length < ELEMENTS_PAGE) break;
  }
  return unclaimed.filter((element) => !listed.has(elementIn(element))).length <= spoiled;
}
