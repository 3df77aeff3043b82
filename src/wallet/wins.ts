import { shardKeys, shardOf } from '../store/keys.ts';
import { liveRains, settledRains, type LiveRain } from '../store/rains.ts';
import { parseClaim, type Claim } from '../rain/claim.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

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

type Index = [rainId: string, rain: LiveRain & { settled: boolean }][];

/**
 * Finds a user's wins in every rain that Redis still has. Rehearsals are skipped: their money belongs to nobody. Rejects when
 * Redis cannot be read.
 */
export function createWinFinder(redis: RedisClient, rainsMax = RAINS_MAX): (userId: string) => Promise<FoundWins> {
  let index: Promise<Index> | undefined;

  function readIndex(): Promise<Index> {
    if (index) return index;
    const forget = () => { index = undefined; };
    index = read(redis);
    index.then(() => setTimeout(forget, INDEX_MS).unref(), forget);
    return index;
  }

  return async (userId) => {
    const rains = await readIndex();
    const found = await Promise.all(rains.slice(0, rainsMax).map(async ([rainId, { shards, title, settled }]): Promise<Win | undefined> => {
      const shard = shardOf(userId, shards);
      const parsed = parseClaim(await redis.hget(shardKeys(rainId, shard).claimed, userId) ?? '');
      // An invalid entry, or another user's, is not a win; the credit worker dead-letters it.
      return parsed.ok && parsed.claim.rainId === rainId && parsed.claim.userId === userId ? { claim: parsed.claim, title, shard, settled } : undefined;
    }));
    return { wins: found.filter((win) => win !== undefined), complete: rains.length <= rainsMax };
  };
}

async function read(redis: RedisClient): Promise<Index> {
  const [live, settled] = await Promise.all([liveRains(redis), settledRains(redis)]);
  const all = new Map<string, LiveRain & { settled: boolean }>([...live].map(([rainId, rain]) => [rainId, { ...rain, settled: false }]));
  for (const [rainId, rain] of settled) if (!all.has(rainId)) all.set(rainId, { ...rain, settled: true });
  return [...all].filter(([, { rehearsal }]) => !rehearsal);
}
