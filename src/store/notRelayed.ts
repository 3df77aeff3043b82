import type { RedisClient } from '../platform/redis/connect.ts';
import { shardKeys } from './keys.ts';
import { cursorOf, liveRains } from './rains.ts';
import { saleKeys } from './saleKeys.ts';
import { liveSales } from './sales.ts';

/** Entries of the logs of live rains and sales that are in no queue yet. */
export interface NotRelayed {
  claims: number;
  reservations: number;
}

export async function countNotRelayed(redis: RedisClient): Promise<NotRelayed> {
  const behind = async (log: string, cursor: string) => {
    const [entries, relayed] = await Promise.all([redis.llen(log), redis.get(cursor)]);
    return Math.max(0, entries - cursorOf(relayed));
  };
  const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);
  const [rains, sales] = await Promise.all([liveRains(redis), liveSales(redis)]);
  const shards = [...rains].flatMap(([rainId, { shards: count }]) =>
    Array.from({ length: count }, (_, shard) => shardKeys(rainId, shard)),
  );
  const [claims, reservations] = await Promise.all([
    Promise.all(shards.map((keys) => behind(keys.claims, keys.relayed))),
    Promise.all([...sales.keys()].map((saleId) => behind(saleKeys(saleId).reservations, saleKeys(saleId).relayed))),
  ]);
  return { claims: sum(claims), reservations: sum(reservations) };
}
