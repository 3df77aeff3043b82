import { z } from 'zod';
import { STORED_STATES, type RainWindow, type StoredState } from '../rain/rain.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { publish } from './events.ts';
import type { HoldReason } from './holds.ts';
import { saleKeys } from './saleKeys.ts';
import { run } from './scripts.ts';

const storedState = z.enum(STORED_STATES).nullable();

/** Asks all gateways to read this sale again. */
export const announceSale = (redis: RedisClient, saleId: string): Promise<void> =>
  publish(redis, { type: 'sale_changed', saleId });

/** @returns the state now, as each script says; undefined: no such sale */
async function changeState(
  redis: RedisClient,
  script: 'saleopen' | 'pause' | 'close',
  saleId: string,
  ...args: string[]
): Promise<StoredState | undefined> {
  const state = storedState.parse(await run(redis, script, [saleKeys(saleId).state], args));
  await announceSale(redis, saleId);
  return state ?? undefined;
}

/**
 * Lets a drafted sale be sold from its start on, and names the key that signs its purchases. Returns `loaded` if it can
 * be, now or earlier; any other state says how far it is.
 */
export const open = (redis: RedisClient, saleId: string, signedBy: string) =>
  changeState(redis, 'saleopen', saleId, signedBy);

/** Returns `paused` if the sale is paused now; any other state is the reason for the refusal. */
const pause = (redis: RedisClient, saleId: string) => changeState(redis, 'pause', saleId);

/**
 * The same whatever its state says: a word that is no state of ours would let the sale sell.
 * @returns whether it is paused now
 */
export async function pauseWhatever(redis: RedisClient, saleId: string): Promise<boolean> {
  const { state } = saleKeys(saleId);
  const found = await redis.hget(state, 'state');
  if (found === null || storedState.safeParse(found).success) return (await pause(redis, saleId)) === 'paused';
  await redis.hset(state, 'state', 'paused');
  await announceSale(redis, saleId);
  return true;
}

/**
 * Ends a sale: `early` at any time, `due` only when Redis's clock is past its end. Returns `closed` or `settled` if it
 * has ended.
 */
export const close = (redis: RedisClient, saleId: string, when: 'early' | 'due') =>
  changeState(redis, 'close', saleId, when);

/** Moves the window of a sale that has not opened. @returns `opened`: it has opened by its old window, or is over */
export async function reschedule(
  redis: RedisClient,
  saleId: string,
  { opensAt, closesAt }: Pick<RainWindow, 'opensAt' | 'closesAt'>,
): Promise<'moved' | 'opened' | 'gone'> {
  const moved = await run(redis, 'reschedule', [saleKeys(saleId).state], [opensAt, closesAt]);
  if (moved !== 1) return moved === null ? 'gone' : 'opened';
  await announceSale(redis, saleId);
  return 'moved';
}

/**
 * Puts a field back, such as `tee:booked` of the stock.
 * @returns false: it is not `found` any more, so it must be read again
 */
export async function recount(
  redis: RedisClient,
  saleId: string,
  { hash, field, found, right }: { hash: 'state' | 'stock'; field: string; found: string; right: number | string },
): Promise<boolean> {
  return (await run(redis, 'recount', [saleKeys(saleId)[hash]], [field, found, right])) === 1;
}

/** Stops selling. Safe to repeat. @returns false: Redis has no such sale, or it is settled */
export async function hold(redis: RedisClient, saleId: string, reason: HoldReason): Promise<boolean> {
  const held = (await run(redis, 'hold', [saleKeys(saleId).state], [reason])) === 1;
  if (held) await announceSale(redis, saleId);
  return held;
}

/** Ends a hold. @returns false: the sale is not held, or for another reason */
export async function release(redis: RedisClient, saleId: string, reason: string): Promise<boolean> {
  const released = (await run(redis, 'release', [saleKeys(saleId).state], [reason])) === 1;
  if (released) await announceSale(redis, saleId);
  return released;
}
