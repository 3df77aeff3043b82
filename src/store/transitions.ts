import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { canonicalJson } from '../rain/json.ts';
import { STORED_STATES, type RainWindow, type StoredState } from '../rain/rain.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { leave } from './campaign.ts';
import { publish } from './events.ts';
import { lastingKeys, LIVE_RAINS_KEY, RAINS_VERSION_KEY, SETTLED_RAINS_KEY, shardKeys } from './keys.ts';
import { readRain, type LiveRain, type Reveal } from './rains.ts';
import { run } from './scripts.ts';

const storedState = z.enum(STORED_STATES).nullable();

/** Asks all gateways to read this rain again. One that does not hear it finds another version within a second. */
export async function announceChange(redis: RedisClient, rainId: string): Promise<void> {
  await redis.set(RAINS_VERSION_KEY, randomUUID());
  await publish(redis, { type: 'changed', rainId });
}

/**
 * Changes all shards or none [R12]: all are checked before the first one is changed. If it is interrupted half-way,
 * call it again.
 * @returns `target`, or the state of a shard that refused; `undefined`: no such rain
 */
async function changeState(
  redis: RedisClient,
  script: 'pause' | 'resume',
  target: StoredState,
  rainId: string,
  shards: number,
): Promise<StoredState | undefined> {
  const from: StoredState = target === 'paused' ? 'loaded' : 'paused';
  for (let shard = 0; shard < shards; shard++) {
    const state = storedState.parse(await redis.hget(shardKeys(rainId, shard).state, 'state'));
    if (state !== target && state !== from) return state ?? undefined;
  }
  let result: StoredState | undefined = target;
  for (let shard = 0; shard < shards; shard++) {
    const state = storedState.parse(await run(redis, script, [shardKeys(rainId, shard).state], []));
    if (state !== target) result = state ?? undefined;
  }
  await announceChange(redis, rainId);
  return result;
}

/** Returns `paused` if the rain is paused now; any other state is the reason for the refusal. */
export const pause = (redis: RedisClient, rainId: string, shards: number) =>
  changeState(redis, 'pause', 'paused', rainId, shards);

/** Returns `loaded` if the rain grants again; any other state is the reason for the refusal. */
export const resume = (redis: RedisClient, rainId: string, shards: number) =>
  changeState(redis, 'resume', 'loaded', rainId, shards);

/**
 * Moves the window of a rain that has not opened. If it is interrupted half-way, call it again with the same window.
 * @returns `opened`: a shard has opened by its old window, or is over
 */
export async function reschedule(
  redis: RedisClient,
  rainId: string,
  shards: number,
  { opensAt, closesAt }: Pick<RainWindow, 'opensAt' | 'closesAt'>,
): Promise<'moved' | 'opened' | 'gone'> {
  for (let shard = 0; shard < shards; shard++) {
    const moved = await run(redis, 'reschedule', [shardKeys(rainId, shard).state], [opensAt, closesAt]);
    if (moved !== 1) return moved === null ? 'gone' : 'opened';
  }
  await announceChange(redis, rainId);
  return 'moved';
}

/**
 * Ends a rain: `early` at any time, `due` only when Redis's clock is past its end.
 * @returns true when all shards are closed (or settled) now
 */
export async function close(
  redis: RedisClient,
  rainId: string,
  shards: number,
  when: 'early' | 'due',
): Promise<boolean> {
  let closed = true;
  for (let shard = 0; shard < shards; shard++) {
    const state = storedState.parse(await run(redis, 'close', [shardKeys(rainId, shard).state], [when]));
    closed &&= state === 'closed' || state === 'settled';
  }
  if (closed) await announceChange(redis, rainId);
  return closed;
}

/**
 * Closes the claim log of a closed rain for good, before its money moves.
 * @param seen number of claims per shard that the audit has counted
 * @returns false: a shard is not closed, has more claims than `seen`, or packets on their way; then the audit must
 *   run again
 */
export async function freeze(
  redis: RedisClient,
  rainId: string,
  live: LiveRain,
  seen: readonly number[],
): Promise<boolean> {
  let frozen = true;
  for (let shard = 0; shard < live.shards; shard++) {
    const { state, claims, sending } = shardKeys(rainId, shard);
    frozen &&= (await run(redis, 'freeze', [state, claims, sending], [seen[shard]!])) === 1;
  }
  return frozen;
}

interface Settlement {
  /** How long the keys live on, ms. */
  ttlMs: number;
  /** As in `freeze`; absent: not checked. */
  seen?: readonly number[];
  /** The commitment opened, published from now on; absent for a rain without commitment. */
  reveal?: Reveal | undefined;
}

/**
 * Marks a rain as settled once the ledger accounts for all of it, and moves it from the live index to the settled
 * index. A missing shard was settled by an earlier attempt and has expired since.
 * @returns false: a shard is not closed, or has more claims than `seen`
 */
export async function settle(
  redis: RedisClient,
  rainId: string,
  live: LiveRain,
  { ttlMs, seen, reveal }: Settlement,
): Promise<boolean> {
  const added = reveal?.topUps?.length ? ['topUps', canonicalJson(reveal.topUps)] : [];
  const shown = reveal ? ['seed', reveal.seed, 'plan', canonicalJson(reveal.plan), ...added] : [];
  let [settled, keysExist] = [true, false];
  for (let shard = 0; shard < live.shards; shard++) {
    const reply = storedState.parse(
      await run(redis, 'settle', lastingKeys(rainId, shard), [ttlMs, seen?.[shard] ?? '', ...shown]),
    );
    settled &&= reply === 'settled' || reply === null;
    keysExist ||= reply !== null;
  }
  if (!settled) return false;
  await leave(redis, rainId, live.shards, ttlMs);
  if (keysExist) await redis.hset(SETTLED_RAINS_KEY, rainId, JSON.stringify(live));
  await redis.hdel(LIVE_RAINS_KEY, rainId);
  await announceChange(redis, rainId);
  return true;
}

/**
 * Puts a rain into the index of live rains again. Its keys do not expire any more: a shard that is settled, in which
 * nobody can win, must be settled again first.
 * @returns false: its keys have expired, at least in part
 */
export async function relist(redis: RedisClient, rainId: string, live: LiveRain): Promise<boolean> {
  if (!(await readRain(redis, rainId, live))) return false;
  for (let shard = 0; shard < live.shards; shard++) await keepShard(redis, rainId, shard);
  // Some may have expired meanwhile.
  if (!(await readRain(redis, rainId, live))) return false;
  await redis.hset(LIVE_RAINS_KEY, rainId, JSON.stringify(live));
  await redis.hdel(SETTLED_RAINS_KEY, rainId);
  return true;
}

/** The keys of a shard that was settled expire; those of one that is not settled any more must not. */
export async function keepShard(redis: RedisClient, rainId: string, shard: number): Promise<void> {
  for (const key of lastingKeys(rainId, shard)) await redis.persist(key);
}

/** Removes a rain whose keys have expired from the index. */
export async function forget(redis: RedisClient, rainId: string): Promise<void> {
  await redis.hdel(SETTLED_RAINS_KEY, rainId);
}
