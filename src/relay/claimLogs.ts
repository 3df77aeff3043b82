import { creditJobId, type CreditJob } from '../credit/job.ts';
import { shardKeys } from '../store/keys.ts';
import { liveRains } from '../store/rains.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import type { CarriedLog } from './carriedLog.ts';

/** The claim log of one shard of a rain. */
export function claimLogOf(rainId: string, shard: number): CarriedLog<CreditJob> {
  const { claims, relayed, state, lease } = shardKeys(rainId, shard);
  return {
    label: { rainId, shard },
    keys: { log: claims, relayed, state, lease },
    toJob: (from, entries) => ({ rainId, shard, from, entries }),
    jobId: creditJobId,
  };
}

/** The claim logs of all live rains. */
export async function liveClaimLogs(redis: RedisClient): Promise<CarriedLog<CreditJob>[]> {
  const rains = await liveRains(redis);
  return [...rains].flatMap(([rainId, { shards }]) =>
    Array.from({ length: shards }, (_, shard) => claimLogOf(rainId, shard)),
  );
}
