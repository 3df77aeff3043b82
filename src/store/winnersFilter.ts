import { z } from 'zod';
import { roundOf } from '../rain/campaign.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { campaignKeys, shardKeys } from './keys.ts';
import { run } from './scripts.ts';

/** Users per script call, roughly: well under a millisecond of Redis's time. */
const PAGE = 1_000;
/** Size of the filter. With four hashes, about one user in four hundred is falsely taken for a winner. */
const BITS_PER_WINNER = 16;
const HASHES = 4;
/** Winners that are read at most; their filter takes 64 MiB [R10]. */
const WINNERS_MAX = 20_000_000;

/** The winners of a rain as a filter: it never misses a winner, but it may name users who have not won. */
export interface Winners {
  /** False: the user has not won. True: the user may have won; ask Redis. */
  mayHaveWon(userId: string): boolean;
  /** As in `StoredRain`, when the reading began. If both are still the same, nobody has won since. */
  claims: number;
  newest: string;
}

const page = z.tuple([z.string()]).rest(z.string());

/**
 * For a round of a campaign the filter holds every winner of the campaign: only the script can decide who has reached the win limit.
 * A user who wins in another round after the reading may get "nothing left" instead of "win limit reached"; that is true as well.
 */
export async function readWinners(redis: RedisClient, rainId: string, shards: number): Promise<Winners> {
  const keys = Array.from({ length: shards }, (_, shard) => shardKeys(rainId, shard));
  // Read the logs first: a win during the reading then makes the result outdated, not wrong.
  const logs = await Promise.all(keys.map(({ claims }) => Promise.all([redis.llen(claims), redis.lindex(claims, 0)])));
  const hashes = keys.map(({ claimed }) => claimed);
  if (roundOf(rainId)) for (let shard = 0; shard < shards; shard++) hashes.push(campaignKeys(rainId, shard).wins);
  const filter = await readUsers(redis, rainId, hashes);
  return {
    mayHaveWon: (userId) => filter.has(userId),
    claims: logs.reduce((sum, [count]) => sum + count, 0),
    newest: logs.map(([, newest]) => `${newest ?? ''}\n`).join(''),
  };
}

/** Everybody who has an entry in one of these hashes, as a filter. @param id of the rain or sale */
export async function readUsers(redis: RedisClient, id: string, hashes: readonly string[]): Promise<Pick<Filter, 'has'>> {
  const sizes = await Promise.all(hashes.map((hash) => redis.hlen(hash)));
  const size = sizes.reduce((sum, count) => sum + count, 0);
  if (size > WINNERS_MAX) throw new Error(`${id} has ${size} winners or buyers in Redis: somebody else writes to this Redis`);
  const filter = new Filter(size);
  for (const hash of hashes) {
    for await (const users of usersOf(redis, hash)) users.forEach((user) => filter.add(user));
  }
  return filter;
}

/** The field names (userIds) of a hash such as `claimed`, page by page; a user may appear twice. */
export async function* usersOf(redis: RedisClient, hash: string): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, ...users] = page.parse(await run(redis, 'winners', [hash], [cursor, PAGE]));
    yield users;
    cursor = next;
  } while (cursor !== '0');
}

/** A Bloom filter: two bytes per winner, where the ids would take a hundred. */
class Filter {
  readonly #bits: Uint32Array;
  readonly #mask: number;

  constructor(expected: number) {
    const bits = 2 ** Math.ceil(Math.log2(Math.max(1_024, expected * BITS_PER_WINNER)));
    this.#bits = new Uint32Array(bits / 32);
    this.#mask = bits - 1;
  }

  add(text: string): void {
    const step = stepOf(text);
    for (let i = 0, at = hashOf(text); i < HASHES; i++, at = (at + step) | 0) this.#bits[(at & this.#mask) >>> 5]! |= 1 << (at & 31);
  }

  has(text: string): boolean {
    const step = stepOf(text);
    for (let i = 0, at = hashOf(text); i < HASHES; i++, at = (at + step) | 0) {
      if ((this.#bits[(at & this.#mask) >>> 5]! & (1 << (at & 31))) === 0) return false;
    }
    return true;
  }
}

/** FNV-1a over UTF-16 units, mixed so that the low bits depend on all of them. */
function hashOf(text: string, seed = 0x811c9dc5): number {
  let hash = seed;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}

/** Odd, so that every position can be reached. */
function stepOf(text: string): number {
  return hashOf(text, 0x9e3779b9) | 1;
}
