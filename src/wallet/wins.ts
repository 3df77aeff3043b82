import { shardKeys, shardOf } from '../store/keys.ts';
import { liveRains, settledRains, type LiveRain } from '../store/rains.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { sharedFor } from './cache.ts';

/** A win as stored in Redis. */
export interface Win {
  claim: Claim;
  title: string;
  shard: number;
  /** Its rain is settled: all claims of it are decided. */
  settled: boolean;
}

export interface FoundWins {
  wins: Win[];
  /** False: there were more rains than are read for one answer. */
  complete: boolean;
}

/** Rains read for one answer, unsettled ones first [R10]. */
const RAINS_MAX = 300;
/** How long one read of the rain index serves all callers, ms. */
const INDEX_MS = 200;

/** Finds a user's wins in every rain that Redis still has, without rehearsals. Rejects when Redis cannot be read. */
export function createWinFinder(redis: RedisClient): (userId: string) => Promise<FoundWins> {
  const readIndex = sharedFor(INDEX_MS, () => read(redis));
  return async (userId) => {
    const rains = await readIndex();
    const found = await Promise.all(
      rains.slice(0, RAINS_MAX).map(async ([rainId, { shards, title, settled }]): Promise<Win | undefined> => {
        const shard = shardOf(userId, shards);
        const parsed = parseClaim((await redis.hget(shardKeys(rainId, shard).claimed, userId)) ?? '');
        // An invalid entry, or another user's, is not a win; the credit worker dead-letters it.
        return parsed.ok && parsed.claim.rainId === rainId && parsed.claim.userId === userId
          ? { claim: parsed.claim, title, shard, settled }
          : undefined;
      }),
    );
    return { wins: found.filter((win) => win !== undefined), complete: rains.length <= RAINS_MAX };
  };
}

async function read(redis: RedisClient): Promise<[rainId: string, rain: LiveRain & { settled: boolean }][]> {
  const [live, settled] = await Promise.all([liveRains(redis), settledRains(redis)]);
  return [...live, ...[...settled].filter(([rainId]) => !live.has(rainId))]
    .filter(([, { rehearsal }]) => !rehearsal)
    .map(([rainId, rain]) => [rainId, { ...rain, settled: !live.has(rainId) }]);
}
