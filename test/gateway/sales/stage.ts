import { expect, onTestFinished } from 'vitest';
import type { OrderMessage } from '../../../src/protocol/saleMessages.ts';
import type { RedisClient } from '../../../src/platform/redis/connect.ts';
import type { Item } from '../../../src/sale/item.ts';
import { parseReservation } from '../../../src/sale/reservation.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { draftSale, readSale, type SaleDraft } from '../../../src/store/sales.ts';
import { dial, type Client } from '../../support/client.ts';

export const tee = (units: number, more: Partial<Item> = {}): Item => ({ sku: 'tee', units, price: '19.90', ...more });

type StockedSale = Pick<SaleDraft, 'saleId' | 'items'> &
  Partial<SaleDraft> & { opensInMs?: number; closesInMs?: number };

/** Drafts and opens a sale; open at once and for ten minutes unless told otherwise. */
export async function stockSale(
  redis: RedisClient,
  { saleId, opensInMs = -1_000, closesInMs = 600_000, holdMs = 60_000, ...draft }: StockedSale,
): Promise<void> {
  const now = await redisNow(redis);
  const drafted = await draftSale(redis, {
    saleId,
    title: saleId,
    opensAt: now + opensInMs,
    closesAt: now + closesInMs,
    holdMs,
    ...draft,
  });
  if (drafted !== 'created') throw new Error(`the sale ${saleId} exists`);
  await redis.hset(saleKeys(saleId).state, 'state', 'loaded');
}

/** A user who disconnects when the test is over. */
export async function enter(url: string, userId: string): Promise<Client> {
  const client = await dial(url, userId);
  onTestFinished(() => client.leave());
  return client;
}

/** Buys one unit unless told otherwise, and gives the answer. */
export async function buy(client: Client, saleId: string, more: object = {}): Promise<OrderMessage> {
  client.say({ type: 'buy', saleId, sku: 'tee', ...more });
  return await client.next('order');
}

/** How many script calls Redis has decided so far. */
export async function scriptCalls(redis: RedisClient): Promise<number> {
  const stats = await redis.info('commandstats');
  return ['evalsha', 'eval'].reduce(
    (sum, command) => sum + Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0),
    0,
  );
}

/** A crowd of a test is one address and one process. */
export const LIMITS_OF_A_CROWD = {
  handshakesPerSecondMax: 100_000,
  handshakesPerAddressPerSecondMax: 100_000,
  messagesPerSecondMax: 100_000,
};

/**
 * In a sale of so many units, one a user, as many users were told their reservation, all others that nothing is left,
 * and Redis has exactly these.
 * @param told a reservation id or a code, for each user
 */
export async function expectAllReserved(
  redis: RedisClient,
  saleId: string,
  told: readonly string[],
  units: number,
): Promise<void> {
  const isId = (answer: string) => answer.startsWith(`${saleId}-`);
  const ids = told.filter(isId);
  expect([ids.length, new Set(ids).size]).toEqual([units, units]);
  expect(new Set(told.filter((answer) => !isId(answer)))).toEqual(new Set(['-12']));
  const log = (await redis.lrange(saleKeys(saleId).reservations, 0, -1)).map(parseReservation);
  expect(new Set(log.map((one) => one.ok && one.reservation.userId)).size).toBe(units);
  expect(await readSale(redis, saleId)).toMatchObject({
    made: units,
    logged: units,
    items: [{ units, booked: units, sold: 0 }],
  });
}
