import { remembersEnd } from '../store/endedRains.ts';
import { SETTLED_RAINS_KEY, shardKeys } from '../store/keys.ts';
import { hasOlderLabels } from '../store/olderLabels.ts';
import { liveRains, readRain, redisNow, settledRains } from '../store/rains.ts';
import type { BookedRain } from '../ledger/rains.ts';
import type { RainFigures } from '../ledger/rainFigures.ts';
import type { OperatorContext } from './context.ts';
import { goneReason, readPresence, wholenessOf } from './restore/presence.ts';

/** A load of the most packets that a rain may have is done by then, ms. */
const LOAD_MS_MAX = 300_000;

/**
 * Whether Redis lost a rain that may have been won in, or has it for an older version. Written to Redis again, it would
 * hand out packets or money twice.
 */
export async function hasLost(context: OperatorContext, rain: BookedRain): Promise<boolean> {
  if (await readRain(context.redis, rain.id, rain)) return false;
  if (await hasOlderLabels(context.redis, rain.id, rain.shards)) return true;
  return (await wasLoaded(context, rain.id)) && (await redisNow(context.redis)) >= rain.opensAt;
}

/**
 * `load` is recorded before the first packet is in Redis: without that record nothing can have been won, unless the
 * ledger came back from an older backup. Then its credits, or what Redis remembers of the settlement, tell that the
 * rain was loaded.
 */
export async function wasLoaded(
  { ledger, redis }: OperatorContext,
  rainId: string,
  known?: RainFigures,
): Promise<boolean> {
  const figures = known ?? (await ledger.rainFigures([rainId])).get(rainId)!;
  return (
    figures.wasLoaded ||
    (await redis.hexists(SETTLED_RAINS_KEY, rainId)) === 1 ||
    (await remembersEnd(redis, rainId)) ||
    figures.credited.count > 0
  );
}

/**
 * Rains that were loaded and are not settled, but are not whole in Redis or not in its index: after a FLUSHALL, or a
 * restart without the last writes. A rain that is being loaded for the first time may be among them: check twice. A
 * draft that was loaded long ago is of an older Redis, or its load was cut: it would not open.
 * @param loadMsMax how long a load may take, ms
 */
export async function findLostRains(context: OperatorContext, loadMsMax = LOAD_MS_MAX): Promise<string[]> {
  // Read the ledger first: a rain that is settled in between is rightly gone from the index.
  const rains = await context.ledger.rains(1_000, 'unsettled');
  if (rains.length === 0) return [];
  const [live, settled] = await Promise.all([liveRains(context.redis), settledRains(context.redis)]);
  const lost: string[] = [];
  for (const { id, shards } of rains) {
    const states = await Promise.all(
      Array.from({ length: shards }, (_, shard) => context.redis.hget(shardKeys(id, shard).state, 'state')),
    );
    const isThere = (live.has(id) || settled.has(id)) && states.every((state) => state !== null);
    if (isThere && !(states.includes('draft') && (await loadedBefore(context, id, loadMsMax)))) continue;
    if ((await wasLoaded(context, id)) && (await context.ledger.rain(id))?.settledAt === undefined) lost.push(id);
  }
  return lost;
}

async function loadedBefore({ ledger, redis }: OperatorContext, rainId: string, agoMs: number): Promise<boolean> {
  const loads = (await ledger.actions(rainId)).filter(({ verb }) => verb === 'load');
  return loads.length > 0 && Math.max(...loads.map(({ at }) => at)) <= (await redisNow(redis)) - agoMs;
}

/** The notice for a rain that Redis has lost, in whole or in part; `undefined`: it has not. */
export async function lostNotice(context: OperatorContext, rainId: string): Promise<string | undefined> {
  const rain = await context.ledger.rain(rainId);
  if (
    !rain ||
    rain.settledAt !== undefined ||
    wholenessOf(await readPresence(context, rainId, rain.shards)) === 'whole'
  )
    return undefined;
  return (await wasLoaded(context, rainId)) ? goneReason(context.redis, rain) : undefined;
}
