import { roundId } from '../rain/campaign.ts';
import { holdsUnits } from '../sale/order.ts';
import type { Units } from '../sale/units.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { saleKeys } from './saleKeys.ts';
import { parseHeld } from './sales.ts';
import { run } from './scripts.ts';
import { usersOf } from './userFilter.ts';

/**
 * The units that a user excluded from a campaign counts as holding in its sales, besides the real ones: more than any
 * campaign allows, see `WINS_PER_USER_MAX`. Purchases before and what is given back are counted as for others.
 */
export const EXCLUDED_UNITS: Units = 1_000_000;

/** Whether Redis has one of these sales, all of one campaign. */
export async function knowsAnySale(redis: RedisClient, saleIds: readonly string[]): Promise<boolean> {
  return saleIds.length > 0 && (await redis.exists(...saleIds.map((id) => saleKeys(id).state))) > 0;
}

/** The counts of some users, in their order. */
interface BoughtOfUsers {
  /** The campaign's counts; absent: nothing. */
  counts: (string | undefined)[];
  /** Sale → the units that its buyers hold, of the sales that Redis has. */
  held: Map<string, Units[]>;
}

/** The units that these users hold in the sales of one campaign, all in one moment. */
export async function readBought(
  redis: RedisClient,
  saleIds: readonly string[],
  users: readonly string[],
): Promise<BoughtOfUsers> {
  const reading = redis.multi().hmget(saleKeys(saleIds[0]!).bought, ...users);
  for (const id of saleIds) reading.exists(saleKeys(id).state).hmget(saleKeys(id).buyers, ...users);
  const replies = (await reading.exec())!.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
  const [counts, ...sales] = replies as [(string | null)[], ...unknown[]];
  const held = saleIds.flatMap((id, i): [string, Units[]][] =>
    sales[2 * i] === 0 ? [] : [[id, (sales[2 * i + 1] as (string | null)[]).map(unitsOf)]],
  );
  return { counts: counts.map((count) => count ?? undefined), held: new Map(held) };
}

function unitsOf(entry: string | null): Units {
  return (parseHeld(entry ?? '') ?? []).reduce(
    (sum, { status, quantity }) => sum + (holdsUnits(status) ? quantity : 0),
    0,
  );
}

/** A count of the campaign that is wrong, and what it must have been when it was read. */
interface WrongBought {
  userId: string;
  /** `''`: there is none. */
  found: string;
  right: Units;
}

/** Puts counts of a campaign right. @returns users whose count has changed since it was read: read them again */
export async function recountBought(
  redis: RedisClient,
  saleId: string,
  wrong: readonly WrongBought[],
): Promise<string[]> {
  const { bought } = saleKeys(saleId);
  const done = await Promise.all(
    wrong.map(({ userId, found, right }) => run(redis, 'recount', [bought], [userId, found, right])),
  );
  return wrong.flatMap(({ userId }, i) => (done[i] === 1 ? [] : [userId]));
}

/** Forgets what a user holds in a campaign, when nobody can buy in it. */
export async function forgetBought(redis: RedisClient, campaignId: string, userId: string): Promise<void> {
  await redis.hdel(saleKeys(roundId({ campaignId, round: 1 })).bought, userId);
}

/** All users of whom Redis knows something in the sales of one campaign, page by page; a user may appear twice. */
export async function* usersIn(redis: RedisClient, saleIds: readonly string[]): AsyncGenerator<string[]> {
  for (const id of saleIds) yield* usersOf(redis, saleKeys(id).buyers);
  yield* usersOf(redis, saleKeys(saleIds[0]!).bought);
}
