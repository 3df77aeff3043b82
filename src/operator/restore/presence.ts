import { lastingKeys, LIVE_RAINS_KEY, SETTLED_RAINS_KEY, shardKeys } from '../../store/keys.ts';
import { hasOlderLabels, olderLabelsReason } from '../../store/olderLabels.ts';
import { findRain } from '../../store/rains.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { STORED_STATES, type StoredState } from '../../rain/rain.ts';
import type { Opening } from '../audit/windows.ts';
import type { OperatorContext } from '../context.ts';

export interface ShardPresence {
  /** Absent: Redis has no state of this shard, or none that can be read. */
  state: StoredState | undefined;
  /** Whether other keys of the shard are there. */
  rest: boolean;
  held: string | undefined;
  /** When it opens and closes, epoch ms. */
  window: Opening;
}

/** The parts of a rain in Redis. */
interface Presence {
  index: 'live' | 'settled' | undefined;
  shards: ShardPresence[];
}

export async function readPresence(
  { redis }: Pick<OperatorContext, 'redis'>,
  rainId: string,
  shards: number,
): Promise<Presence> {
  const [live, settled] = await Promise.all([
    redis.hexists(LIVE_RAINS_KEY, rainId),
    redis.hexists(SETTLED_RAINS_KEY, rainId),
  ]);
  return {
    index: live === 1 ? 'live' : settled === 1 ? 'settled' : undefined,
    shards: await Promise.all(
      Array.from({ length: shards }, async (_, shard): Promise<ShardPresence> => {
        const key = shardKeys(rainId, shard).state;
        const [[state, held, opensAt, closesAt], rest] = await Promise.all([
          redis.hmget(key, 'state', 'held', 'opensAt', 'closesAt'),
          redis.exists(...lastingKeys(rainId, shard).filter((other) => other !== key)),
        ]);
        return {
          state: STORED_STATES.find((known) => known === state),
          rest: rest > 0,
          held: held ?? undefined,
          window: { opensAt: Number(opensAt), closesAt: Number(closesAt) },
        };
      }),
    ),
  };
}

/** `state_missing`: each shard without a state has other keys left; `missing`: of some shard nothing is left. */
export function wholenessOf({ shards }: Presence): 'whole' | 'state_missing' | 'missing' {
  const without = shards.filter(({ state }) => state === undefined);
  if (without.length === 0) return 'whole';
  return without.every(({ rest }) => rest) ? 'state_missing' : 'missing';
}

/** The refusal for a rain that Redis has lost in whole or in part: one way out, the same in every command. */
export function lostReason(rainId: string): string {
  return `Redis has lost the rain ${rainId}, or part of it; see what is known with rain restore check ${rainId}, bring it back with rain restore apply ${rainId}`;
}

/** The reason to tell for a rain that Redis does not have as a whole, or has for an older version. */
export async function goneReason(redis: RedisClient, { id, shards }: { id: string; shards: number }): Promise<string> {
  return (await hasOlderLabels(redis, id, shards)) ? olderLabelsReason(id) : lostReason(id);
}

/** The refusal for a rain that Redis has and the ledger does not. */
export function onlyInRedisReason(rainId: string): string {
  return `Redis has the rain ${rainId}, and the ledger does not know it: PostgreSQL came back from an older backup, or is another one; see rain restore check ${rainId}`;
}

/** Why the ledger has no such rain: it exists nowhere, or in Redis only, or is a sale. */
export async function unknownReason(
  { redis, ledger }: Pick<OperatorContext, 'redis' | 'ledger'>,
  rainId: string,
): Promise<string> {
  if (await ledger.sale(rainId))
    return `there is no rain ${rainId}; it is a sale, see rain sale show ${rainId} or rain sale audit ${rainId}`;
  return (await findRain(redis, rainId)) ? onlyInRedisReason(rainId) : `there is no rain ${rainId}`;
}
