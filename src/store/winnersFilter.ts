import { createHash, randomUUID } from 'node:crypto';
import { roundOf } from '../rain/campaign.ts';
import { userId } from '../rain/ids.ts';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { createBuildLease } from './buildLease.ts';
import { campaignKeys, shardKeys } from './keys.ts';
import { readEntries } from './rains.ts';
import { fetchFilter, publishFilter, type FilterEnd, type SharedFilter } from './sharedFilter.ts';
import type { Signer } from './signer.ts';
import { bytesFor, countUsers, readUsers, sumOf, USERS_PAGE, type UserFilter } from './userFilter.ts';

/** The winners of a rain as a filter: it never misses a winner, but it may name users who have not won. */
export interface Winners {
  /** False: the user has not won. True: the user may have won; ask Redis. */
  mayHaveWon(userId: string): boolean;
  /** As in `StoredRain`, when the reading began. If both are still the same, nobody has won since. */
  claims: number;
  newest: string;
}

interface WinnersReaderOptions {
  redis: RedisClient;
  signer: Pick<Signer, 'filterMac' | 'isFilter'>;
  /** Faults that only cost others the work. */
  onFault: (error: unknown) => void;
}

/** `undefined`: another gateway is building the filter; ask again a little later. */
export type WinnersReader = (rainId: string, shards: number) => Promise<Winners | undefined>;

/**
 * Reads the winners of rains. If there are many winners, one gateway builds the filter and leaves it in Redis, and the
 * others take it from there; a filter to which only the latest entries of the logs are missing gets these. A filter is
 * believed only with the signature of a gateway, and if logs and `claimed` are as long as they were at its reading: who
 * can write to Redis cannot put another one in its place. If anything goes wrong with it, the winners are read from
 * `claimed`.
 *
 * For a round of a campaign the filter holds every winner of the campaign: only the script can decide who has reached
 * the win limit. A user who wins in another round after the reading may get "nothing left" instead of "win limit
 * reached"; that is true as well.
 */
export function createWinnersReader({ redis, signer, onFault }: WinnersReaderOptions): WinnersReader {
  const lease = createBuildLease(redis, randomUUID());

  /** Builds the filter for all gateways, from the one that was shared before if it can. */
  async function build(rainId: string, now: Look, shared: SharedFilter | undefined): Promise<UserFilter> {
    const keep = () => lease.keep(shardKeys(rainId, 0).winnersLease);
    const filter =
      (shared && (await extended(redis, rainId, now, shared))) ?? (await readUsers(redis, now.hashes, now.sizes, keep));
    await publishFilter(redis, signer, rainId, { filter, ends: now.ends }).catch(onFault);
    return filter;
  }

  return async (rainId, shards) => {
    let now = await look(redis, rainId, shards);
    const winners = ({ claims, newest }: Look, filter: UserFilter): Winners => ({
      mayHaveWon: (user) => filter.has(user),
      claims,
      newest,
    });
    // One page costs Redis no more than a filter that is shared.
    if (sumOf(now.sizes) <= USERS_PAGE) return winners(now, await readUsers(redis, now.hashes, now.sizes));
    const fetched = () => fetchFilter(redis, signer, rainId);
    let shared = await fetched();
    if (shared && isOf(shared, now)) return winners(now, shared.filter);
    const { winnersLease } = shardKeys(rainId, 0);
    if (!(await lease.take(winnersLease))) return undefined;
    try {
      // Another gateway may have finished meanwhile.
      [now, shared] = [await look(redis, rainId, shards), await fetched()];
      return winners(now, shared && isOf(shared, now) ? shared.filter : await build(rainId, now, shared));
    } finally {
      await lease.release(winnersLease).catch(onFault);
    }
  };
}

/** The ends of the logs and hashes of a rain before its winners are read. */
interface Look {
  claims: number;
  newest: string;
  hashes: string[];
  /** How many entries each of them has. */
  sizes: number[];
  ends: FilterEnd[];
}

/** Reads the logs first: a win during the reading then makes the result outdated, not wrong. */
async function look(redis: RedisClient, rainId: string, shards: number): Promise<Look> {
  const keys = Array.from({ length: shards }, (_, shard) => shardKeys(rainId, shard));
  const logs = await Promise.all(keys.map(({ claims }) => Promise.all([redis.llen(claims), redis.lindex(claims, 0)])));
  const hashes = keys.map(({ claimed }) => claimed);
  if (roundOf(rainId)) for (let shard = 0; shard < shards; shard++) hashes.push(campaignKeys(rainId, shard).wins);
  const sizes = await countUsers(redis, rainId, hashes);
  return {
    claims: sumOf(logs.map(([count]) => count)),
    newest: logs.map(([, newest]) => `${newest ?? ''}\n`).join(''),
    hashes,
    sizes,
    ends: logs.map(([claims, newest], shard) => ({
      claims,
      newest: digestOf(newest),
      held: sizes[shard]!,
      wins: sizes[shards + shard] ?? 0,
    })),
  };
}

function digestOf(entry: string | null): string {
  return createHash('sha256')
    .update(entry ?? '')
    .digest('base64url');
}

/** Nothing was written to the logs or the hashes since the filter was built. */
function isOf({ ends }: SharedFilter, now: Look): boolean {
  return (
    ends.length === now.ends.length &&
    ends.every((end, shard) => {
      const { claims, newest, held, wins } = now.ends[shard]!;
      return end.claims === claims && end.newest === newest && end.held === held && end.wins === wins;
    })
  );
}

/**
 * The filter with the users of the entries that the logs got since. `undefined` in any doubt: the logs do not go on
 * where the filter ends, `claimed` has got more or fewer entries than the log, it is full, or an entry names no user.
 */
async function extended(
  redis: RedisClient,
  rainId: string,
  now: Look,
  { ends, filter }: SharedFilter,
): Promise<UserFilter | undefined> {
  if (roundOf(rainId) || ends.length !== now.ends.length || filter.bytes.length < bytesFor(sumOf(now.sizes)))
    return undefined;
  for (const [shard, { claims, newest, held }] of ends.entries()) {
    const end = now.ends[shard]!;
    if (end.claims < claims || end.claims - claims !== end.held - held) return undefined;
    if (claims > 0 && digestOf(await redis.lindex(shardKeys(rainId, shard).claims, -claims)) !== newest)
      return undefined;
    for (let from = claims; from < end.claims; from += USERS_PAGE) {
      const entries = await readEntries(redis, rainId, shard, from, Math.min(from + USERS_PAGE, end.claims));
      for (const entry of entries) {
        const user = userId.safeParse((readJson(entry) as { userId?: unknown } | undefined)?.userId).data;
        if (user === undefined) return undefined;
        filter.add(user);
      }
    }
  }
  return filter;
}
