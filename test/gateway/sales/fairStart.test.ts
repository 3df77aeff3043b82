import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Limits } from '../../../src/gateway/limits.ts';
import type { Gateway } from '../../../src/gateway/server.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { readSale } from '../../../src/store/sales.ts';
import { announceSale } from '../../../src/store/saleTransitions.ts';
import { dial, type Client } from '../../support/client.ts';
import { dialCrowd } from '../../support/crowd.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { TcpProxy } from '../../support/servers/proxy.ts';
import { chance, SEED } from '../rains/fairStartServers.ts';
import { scriptCalls, stockSale, tee } from './stage.ts';

/** Long enough for a busy machine to receive all purchases. */
const FAIR_START_MS = 400;
const [USERS, FAST, UNITS, SALES] = [60, 6, 6, 12];

/** The crowd and its gateway are one busy process here. */
const OF_A_CROWD = { messagesPerSecondMax: 10_000, turnMsMax: 60_000 };

const { server, redis } = await openRedis();

async function openFair(limits: Partial<Limits> = {}, redisUrl = server.url): Promise<Gateway> {
  const gateway = await openGateway(redisUrl, {
    limits: { fairStartMs: FAIR_START_MS, ...limits },
    chance: chance('fair start of sales'),
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

async function untilOpen(saleId: string): Promise<void> {
  const { opensAt } = (await readSale(redis, saleId))!;
  for (let left = opensAt + 2 - (await redisNow(redis)); left > 0; left = opensAt + 2 - (await redisNow(redis)))
    await sleep(left);
}

async function openSoon(saleId: string, units: number, opensInMs = 400): Promise<void> {
  await stockSale(redis, { saleId, items: [tee(units)], perUserMax: 1, opensInMs });
  await announceSale(redis, saleId);
}

/** Sales that open together; in each, the first six users buy before all others. @returns how many units they got */
async function race(clients: readonly Client[], saleIds: readonly string[]): Promise<number> {
  const moment = (await redisNow(redis)) + 600;
  for (const saleId of saleIds) await openSoon(saleId, UNITS, moment - (await redisNow(redis)));
  // Each opens by the clock that its own script read: the last one created may not be the last to open.
  for (const saleId of saleIds) await untilOpen(saleId);
  const ask = (some: readonly Client[]) => {
    for (const saleId of saleIds) for (const client of some) client.say({ type: 'buy', saleId, sku: 'tee' });
  };
  ask(clients.slice(0, FAST));
  await sleep(15);
  ask(clients.slice(FAST));
  const codes: string[] = [];
  await Promise.all(
    clients.map(async (client) => {
      for (const _ of saleIds) codes.push((await client.next('order')).code);
    }),
  );
  expect([codes.filter((code) => code === '0').length, codes.filter((code) => code === '-12').length]).toEqual([
    UNITS * saleIds.length,
    (USERS - UNITS) * saleIds.length,
  ]);
  const names = new Set(Array.from({ length: FAST }, (_, i) => `user-${i}`));
  return (await Promise.all(saleIds.map((saleId) => redis.hkeys(saleKeys(saleId).buyers))))
    .flat()
    .filter((user) => names.has(user)).length;
}

test(`six users who are always first, of sixty, get about one unit in ten; without a fair start they get all (FAIR_SEED ${SEED.slice(0, 8)})`, async () => {
  const fair = await openFair({ ...OF_A_CROWD });
  const named = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}-${i}`);
  const share = (await race(await dialCrowd(fair, USERS), named('fair', SALES))) / (SALES * UNITS);
  expect(share).toBeGreaterThan(0);
  // 72 units: six standard deviations.
  expect(share).toBeLessThan(0.32);
  expect(fair.counters.gathered).toBe(SALES * USERS);
  expect(fair.counters.refused.purchases_per_item).toBe(0);
  const unfair = await openFair({ fairStartMs: 0, ...OF_A_CROWD });
  expect((await race(await dialCrowd(unfair, USERS), named('race', 3))) / (3 * UNITS)).toBeGreaterThan(0.9);
}, 60_000);

test('[R1][R6] a buyer who asks again on another socket has one lot and one reservation, and each message is answered', async () => {
  const gateway = await openFair();
  const ann = await Promise.all([dial(gateway.url, 'ann'), dial(gateway.url, 'ann')]);
  onTestFinished(async () => {
    await Promise.all(ann.map((client) => client.leave()));
  });
  await openSoon('twice', 3);
  await untilOpen('twice');
  for (let n = 0; n < 3; n++) for (const client of ann) client.say({ type: 'buy', saleId: 'twice', sku: 'tee' });
  await eventually(() => gateway.counters.gathered === 6);
  const orders = (
    await Promise.all(
      ann.map(async (client) => [await client.next('order'), await client.next('order'), await client.next('order')]),
    )
  ).flat();
  expect(orders.map(({ code }) => code).toSorted()).toEqual(['0', '1', '1', '1', '1', '1']);
  expect(new Set(orders.map(({ reservationId }) => reservationId))).toEqual(new Set(['twice-1']));
  expect(await readSale(redis, 'twice')).toMatchObject({ made: 1, items: [{ booked: 1 }] });
});

test('[R7] shortly before the opening a purchase is refused without Redis: on its way it might come first', async () => {
  const gateway = await openFair();
  const [client] = await dialCrowd(gateway, 1);
  await openSoon('early', 1, 700);
  client!.say({ type: 'visit', saleId: 'early' });
  await client!.next('sale');
  const before = await scriptCalls(redis);
  for (let n = 0; n < 5; n++) {
    client!.say({ type: 'buy', saleId: 'early', sku: 'tee' });
    expect((await client!.next('order')).code).toBe('-2');
  }
  expect(await scriptCalls(redis)).toBe(before);
  await untilOpen('early');
  client!.say({ type: 'buy', saleId: 'early', sku: 'tee' });
  expect((await client!.next('order')).code).toBe('0');
});

test('the limit of undecided purchases holds for drawn ones, too: nobody is lost, and nothing stays reserved for them', async () => {
  const proxy = await TcpProxy.open(server.port);
  onTestFinished(() => proxy.close());
  const gateway = await openFair({ purchasesPerItemMin: 2, purchasesPerUnitMax: 0 }, `redis://127.0.0.1:${proxy.port}`);
  // As slow as a network to another city.
  proxy.delay(20);
  const clients = await dialCrowd(gateway, 30);
  await openSoon('few', 5);
  await untilOpen('few');
  for (const client of clients) client.say({ type: 'buy', saleId: 'few', sku: 'tee' });
  await eventually(() => gateway.counters.gathered === 30);
  const first = await Promise.all(clients.map((client) => client.next('order')));
  expect(gateway.counters.refused.purchases_per_item).toBeGreaterThan(5);
  expect(gateway.counters.refused.purchases_per_item).toBe(first.filter(({ code }) => code === '-7').length);
  for (const { code, retryInMs } of first) if (code === '-7') expect(retryInMs).toBeGreaterThan(0);
  await eventually(() => gateway.grabsPending() === 0);
  // Clients that were told to come back are decided then.
  for (const client of clients) {
    client.say({ type: 'buy', saleId: 'few', sku: 'tee' });
    expect((await client.next('order')).code).not.toBe('-7');
  }
  expect(await readSale(redis, 'few')).toMatchObject({ made: 5, items: [{ booked: 5 }] });
});
