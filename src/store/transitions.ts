import { z } from 'zod';
import { canonicalJson } from '../rain/json.ts';
import { STORED_STATES, type RainWindow, type StoredState } from '../rain/rain.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { leave } from './campaign.ts';
import { publish } from './events.ts';
import { LIVE_RAINS_KEY, SETTLED_RAINS_KEY, shardKeys } from './keys.ts';
import type { LiveRain, Reveal } from './rains.ts';
import { run } from './scripts.ts';

const storedState = z.enum(STORED_STATES).nullable();

/** Tells all gateways to look again. A lost message costs them at most a second. */
export async function announceChange(redis: RedisClient, rainId: string): Promise<void> {
  await publish(redis, { type: 'changed', rainId });
}

/**
 * All shards or none [R12]: a shard that would refuse is found before the first is turned. Cut half-way, it is to be repeated.
 * @returns the state each shard has now, the one furthest from the wish first; `undefined`: no such rain
 */
async function turn(redis: RedisClient, script: 'pause' | 'resume', wish: StoredState, rainId: string, shards: number): Promise<StoredState | undefined> {
  const from: StoredState = wish === 'paused' ? 'loaded' : 'paused';
  for (let shard = 0; shard < shards; shard++) {
    const state = storedState.parse(await redis.hget(shardKeys(rainId, shard).state, 'state'));
    if (state !== wish && state !== from) return state ?? undefined;
  }
  let result: StoredState | undefined = wish;
  for (let shard = 0; shard < shards; shard++) {
    const state = storedState.parse(await run(redis, script, [shardKeys(rainId, shard).state], []));
    if (state !== wish) result = state ?? undefined;
  }
  await announceChange(redis, rainId);
  return result;
}

/** `paused` when done or done before, any other state is why it was refused. */
export const pause = (redis: RedisClient, rainId: string, shards: number) => turn(redis, 'pause', 'paused', rainId, shards);

/** `loaded` when done or done before, any other state is why it was refused. */
export const resume = (redis: RedisClient, rainId: string, shards: number) => turn(redis, 'resume', 'loaded', rainId, shards);

/**
 * Moves the window of a rain that has not opened. Cut half-way, it is to be repeated with the same window.
 * @returns `opened`: a shard has opened by the window it had, or is over
 */
export async function reschedule(redis: RedisClient, rainId: string, shards: number, { opensAt, closesAt }: Pick<RainWindow, 'opensAt' | 'closesAt'>): Promise<'moved' | 'opened' | 'gone'> {
  for (let shard = 0; shard < shards; shard++) {
    const moved = await run(redis, 'reschedule', [shardKeys(rainId, shard).state], [opensAt, closesAt]);
    if (moved !== 1) return moved === null ? 'gone' : 'opened';
  }
  await announceChange(redis, rainId);
  return 'moved';
}

/**
 * Ends a rain: `early` whatever the clock says, `due` only when Redis's clock is past its end.
 * @returns true when all shards are closed (or settled) now
 */
export async function close(redis: RedisClient, rainId: string, shards: number, when: 'early' | 'due'): Promise<boolean> {
  let closed = true;
  for (let shard = 0; shard < shards; shard++) {
    const state = storedState.parse(await run(redis, 'close', [shardKeys(rainId, shard).state], [when]));
    closed &&= state === 'closed' || state === 'settled';
  }
  if (closed) await announceChange(redis, rainId);
  return closed;
}

/**
 * Closes the log of a closed rain for good, before its money moves.
 * @param seen claims per shard that were accounted for
 * @returns false when a shard is not closed, or has more claims than were seen: then somebody has to look again
 */
export async function freeze(redis: RedisClient, rainId: string, live: LiveRain, seen: readonly number[]): Promise<boolean> {
  let frozen = true;
  for (let shard = 0; shard < live.shards; shard++) {
    const { state, claims } = shardKeys(rainId, shard);
    frozen &&= await run(redis, 'freeze', [state, claims], [seen[shard]!]) === 1;
  }
  return frozen;
}

interface Settlement {
  /** How long its keys live on, ms. */
  ttlMs: number;
  /** Claims per shard that were accounted for; absent: whatever is there. */
  seen?: readonly number[];
  /** What everybody may see from now on; absent when nothing was committed to. */
  reveal?: Reveal | undefined;
}

/**
 * Marks a rain whose book is closed settled, lets its keys expire after `ttlMs` and takes it out of everybody's care. A
 * shard that is gone was settled by an earlier attempt, and has expired since.
 * @returns false when a shard is not closed, or has more claims than were seen
 */
export async function settle(redis: RedisClient, rainId: string, live: LiveRain, { ttlMs, seen, reveal }: Settlement): Promise<boolean> {
  const added = reveal?.topUps?.length ? ['topUps', canonicalJson(reveal.topUps)] : [];
  const shown = reveal ? ['seed', reveal.seed, 'plan', canonicalJson(reveal.plan), ...added] : [];
  let [settled, standing] = [true, false];
  for (let shard = 0; shard < live.shards; shard++) {
    const { state, packets, claimed, claims, spoiled, relayed, credited } = shardKeys(rainId, shard);
    const reply = storedState.parse(await run(redis, 'settle', [state, packets, claimed, claims, spoiled, relayed, credited], [ttlMs, seen?.[shard] ?? '', ...shown]));
    settled &&= reply === 'settled' || reply === null;
    standing ||= reply !== null;
  }
  if (!settled) return false;
  await leave(redis, rainId, live.shards, ttlMs);
  if (standing) await redis.hset(SETTLED_RAINS_KEY, rainId, JSON.stringify(live));
  await redis.hdel(LIVE_RAINS_KEY, rainId);
  await announceChange(redis, rainId);
  return true;
}

/** Takes a rain whose keys have expired out of the index. */
export async function forget(redis: RedisClient, rainId: string): Promise<void> {
  await redis.hdel(SETTLED_RAINS_KEY, rainId);
}
