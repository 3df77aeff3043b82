import { z } from 'zod';
import type { RedisClient } from '../platform/redis/connect.ts';
import { run } from './scripts.ts';

/** Users per script call, roughly: well under a millisecond of Redis's time. */
export const USERS_PAGE = 1_000;
/** Size of a filter. With four hashes, about one user in four hundred is falsely taken for one of these. */
const BITS_PER_USER = 16;
const BITS_MIN = 1_024;
const HASHES = 4;
/** Users that are read at most; their filter takes 64 MiB [R10]. */
const USERS_MAX = 20_000_000;

/**
 * A Bloom filter: it never misses a user, but it may name some who were not added. Two bytes a user, where the ids
 * would take a hundred.
 */
export class UserFilter {
  readonly #bits: Uint32Array;
  readonly #mask: number;

  /** @param bytes a power of two, not fewer than 128; all zero, or those of an earlier filter */
  constructor(bytes: ArrayBuffer) {
    this.#bits = new Uint32Array(bytes);
    this.#mask = bytes.byteLength * 8 - 1;
  }

  static for(users: number): UserFilter {
    return new UserFilter(new ArrayBuffer(bytesFor(users)));
  }

  /** Its content, not a copy. */
  get bytes(): Buffer {
    return Buffer.from(this.#bits.buffer);
  }

  add(text: string): void {
    const step = stepOf(text);
    for (let i = 0, at = hashOf(text); i < HASHES; i++, at = (at + step) | 0)
      this.#bits[(at & this.#mask) >>> 5]! |= 1 << (at & 31);
  }

  has(text: string): boolean {
    const step = stepOf(text);
    for (let i = 0, at = hashOf(text); i < HASHES; i++, at = (at + step) | 0) {
      if ((this.#bits[(at & this.#mask) >>> 5]! & (1 << (at & 31))) === 0) return false;
    }
    return true;
  }
}

/** Size of the filter of so many users, bytes. */
export function bytesFor(users: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(BITS_MIN, users * BITS_PER_USER))) / 8;
}

/**
 * How many entries each of these hashes has.
 * @param id the rain's or the sale's.
 * @throws when there are more than any rain or sale has
 */
export async function countUsers(redis: RedisClient, id: string, hashes: readonly string[]): Promise<number[]> {
  const sizes = await Promise.all(hashes.map((hash) => redis.hlen(hash)));
  const size = sumOf(sizes);
  if (size > USERS_MAX)
    throw new Error(`${id} has ${size} winners or buyers in Redis: somebody else writes to this Redis`);
  return sizes;
}

/**
 * Everybody who has an entry in one of these hashes, as a filter.
 * @param sizes the result of `countUsers`.
 * @param onPage called after each page
 */
export async function readUsers(
  redis: RedisClient,
  hashes: readonly string[],
  sizes: readonly number[],
  onPage: () => void | Promise<void> = () => {},
): Promise<UserFilter> {
  const filter = UserFilter.for(sumOf(sizes));
  for (const hash of hashes) {
    for await (const users of usersOf(redis, hash)) {
      users.forEach((user) => filter.add(user));
      await onPage();
    }
  }
  return filter;
}

export const sumOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const page = z.tuple([z.string()]).rest(z.string());

/** The field names (userIds) of a hash such as `claimed`, page by page; a user may appear twice. */
export async function* usersOf(redis: RedisClient, hash: string): AsyncGenerator<string[]> {
  let cursor = '0';
  do {
    const [next, ...users] = page.parse(await run(redis, 'winners', [hash], [cursor, USERS_PAGE]));
    yield users;
    cursor = next;
  } while (cursor !== '0');
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
