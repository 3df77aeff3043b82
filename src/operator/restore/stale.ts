import type { BookedRain } from '../../ledger/rains.ts';
import { commitmentOf } from '../../rain/commitment.ts';
import type { HoldReason } from '../../store/holds.ts';
import { shardKeys } from '../../store/keys.ts';
import { liveRains, readRain, settledRains, type LiveRain, type StoredRain } from '../../store/rains.ts';
import { relist } from '../../store/transitions.ts';
import type { OperatorContext } from '../context.ts';

/** A rain that is live in Redis, as both stores know it. */
export interface RainInBoth {
  rainId: string;
  live: LiveRain;
  stored: StoredRain;
  /** Absent: the ledger has no such rain. */
  booked: BookedRain | undefined;
}

type Stores = Pick<OperatorContext, 'redis' | 'ledger'>;

/** Rains read at once, so that neither store has to answer about all of them in the same moment [R10]. */
const RAINS_AT_ONCE = 50;

/** Every live rain that is whole in Redis. */
export async function readLiveRains(stores: Stores): Promise<RainInBoth[]> {
  const live = [...(await liveRains(stores.redis))];
  const rains: RainInBoth[] = [];
  for (let from = 0; from < live.length; from += RAINS_AT_ONCE)
    rains.push(...(await readRains(stores, live.slice(from, from + RAINS_AT_ONCE))));
  return rains;
}

/**
 * These rains, as far as they are whole in Redis. Redis is read first: what a command adds is in the ledger before it
 * is in Redis, so what the ledger lacks then is not on its way there.
 */
export async function readRains(
  { redis, ledger }: Stores,
  rains: readonly (readonly [rainId: string, live: LiveRain])[],
): Promise<RainInBoth[]> {
  const read = await Promise.allSettled(rains.map(([rainId, live]) => readRain(redis, rainId, live)));
  // A rain with a key of another type is not whole; without Redis nothing is known of any.
  if (read.some(({ status }) => status === 'rejected')) await redis.ping();
  const stored = read.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  const booked = new Map(
    (await ledger.rains(rains.length, { ids: rains.map(([rainId]) => rainId) })).map((rain) => [rain.id, rain]),
  );
  return rains.flatMap(([rainId, live], i) =>
    stored[i] ? [{ rainId, live, stored: stored[i], booked: booked.get(rainId) }] : [],
  );
}

/** Packets that Redis has and the ledger lacks: they are not paid, so they must not be granted. */
export function staleLedger({
  rainId,
  stored,
  booked,
}: Pick<RainInBoth, 'rainId' | 'stored' | 'booked'>): Exclude<HoldReason, 'redis_behind'> | undefined {
  if (!booked) return 'unknown_to_ledger';
  const { seed, split: plan, shards, packets, topUps } = booked;
  const another = stored.commitment !== undefined && stored.commitment !== commitmentOf({ rainId, seed, plan, shards });
  const lacksTopUp = stored.topUps?.some(({ commitment }, i) => commitment !== topUps[i]?.commitment);
  return another || lacksTopUp || stored.packets > packets ? 'ledger_behind' : undefined;
}

/** Whether the rain may still be won in although its money may have moved: Redis was an earlier state. */
export function isOpenAgain({ stored: { state }, booked }: Pick<RainInBoth, 'stored' | 'booked'>): boolean {
  return (
    state !== 'closed' && state !== 'settled' && (booked?.sealedAt !== undefined || booked?.settledAt !== undefined)
  );
}

/**
 * Rains that the ledger has settled, Redis too by its index, and that can be won in all the same: somebody has changed
 * their state. The index alone is not believed: whoever writes to Redis could end any rain with it.
 */
export async function findReopened({ redis, ledger }: Stores): Promise<[rainId: string, live: LiveRain][]> {
  const settled = [...(await settledRains(redis))];
  const reopened: [string, LiveRain][] = [];
  for (let from = 0; from < settled.length; from += RAINS_AT_ONCE) {
    const some = settled.slice(from, from + RAINS_AT_ONCE);
    const states = await Promise.all(
      some.map(([rainId, { shards }]) =>
        Promise.all(Array.from({ length: shards }, (_, shard) => redis.hget(shardKeys(rainId, shard).state, 'state'))),
      ),
    );
    const open = some.filter((_, i) =>
      states[i]!.some((state) => state !== null && state !== 'closed' && state !== 'settled'),
    );
    const booked = new Map(
      (await ledger.rains(open.length, { ids: open.map(([rainId]) => rainId) })).map(({ id, settledAt }) => [
        id,
        settledAt,
      ]),
    );
    reopened.push(...open.filter(([rainId]) => booked.get(rainId) !== undefined));
  }
  return reopened;
}

/**
 * Makes rains live again that Redis has settled and an older ledger has not: then their claims are sent again, and they
 * are settled.
 * @returns their ids
 */
export async function relistUnsettled({ redis, ledger }: Stores): Promise<string[]> {
  const relisted: string[] = [];
  const settled = [...(await settledRains(redis))];
  for (let from = 0; from < settled.length; from += RAINS_AT_ONCE) {
    const some = new Map(settled.slice(from, from + RAINS_AT_ONCE));
    const booked = await ledger.rains(some.size, { ids: [...some.keys()] });
    for (const { id, settledAt } of booked) {
      if (settledAt === undefined && (await relist(redis, id, some.get(id)!))) relisted.push(id);
    }
  }
  return relisted;
}
