import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { announceOrders } from '../../src/orders/announce.ts';
import { startFollower } from '../../src/orders/follower.ts';
import { connectRedis } from '../../src/platform/redis/connect.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { EVENTS_CHANNEL } from '../../src/store/keys.ts';
import { parseEvent, type RainEvent } from '../../src/store/events.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { heldBy, readSale } from '../../src/store/sales.ts';
import { eventually } from '../support/eventually.ts';
import { listeningLog } from '../support/log.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';
import { openedSale, reserve, reserveTees, writeLog } from './saleStage.ts';

let context: TestContext;
const followers: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(followers.splice(0).map((follower) => follower.close()));
});
afterAll(() => context?.stop());

function startFollowing(differing: Partial<Parameters<typeof startFollower>[0]> = {}) {
  const follower = startFollower({
    redis: context.redis,
    ledger: context.ledger,
    signer,
    log: createLog('follower', 'silent'),
    everyMs: 10,
    ...differing,
  });
  followers.push(follower);
  return follower;
}

const nothingWaits = (saleId: string) =>
  eventually(async () => expect((await context.ledger.orderCounts(saleId)).unfollowed).toBe(0));
const tees = async (saleId: string) => (await readSale(context.redis, saleId))!.items[0]!;

/** Hears the events of one sale. */
async function listen(saleId: string): Promise<{ events: RainEvent[]; stop(): void }> {
  const events: RainEvent[] = [];
  const subscriber = connectRedis(context.redisUrl, { purpose: 'subscriber', onError: () => {} });
  await subscriber.subscribe(EVENTS_CHANNEL);
  subscriber.on('message', (_: string, frame: string) => {
    const event = parseEvent(frame);
    if (event && 'saleId' in event && event.saleId === saleId) events.push(event);
  });
  return { events, stop: () => subscriber.disconnect() };
}

test('units that come back in the ledger can be sold again, and the gateways are told, with a mark that they can check', async () => {
  await openedSale(context, 'back');
  await reserveTees(context, 'back', 10);
  await writeLog(context, 'back');
  expect(await reserve(context, 'back', [{ userId: 'late', sku: 'tee', quantity: 1 }])).toEqual([{ code: '-12' }]);
  const { events, stop } = await listen('back');
  startFollowing();
  await context.ledger.stepOrder('back-1', 'paid');
  await context.ledger.stepOrder('back-2', 'cancelled');
  await nothingWaits('back');
  expect(await tees('back')).toMatchObject({ booked: 9, sold: 1, returned: 0 });
  expect((await heldBy(context.redis, 'back', 'u2')).map(({ status }) => status)).toEqual(['cancelled']);
  expect(await reserve(context, 'back', [{ userId: 'late', sku: 'tee', quantity: 1 }])).toMatchObject([
    { code: '0', reservationId: 'back-11' },
  ]);
  await eventually(() => expect(events).toContainEqual({ type: 'sale_changed', saleId: 'back' }));
  const orders = events.flatMap((event) => (event.type === 'orders' ? event.orders : []));
  expect(orders.map(({ reservationId, userId, status }) => [reservationId, userId, status])).toEqual(
    expect.arrayContaining([
      ['back-1', 'u1', 'paid'],
      ['back-2', 'u2', 'cancelled'],
    ]),
  );
  for (const order of orders) expect(signer.isOrderMark(order.mark, order)).toBe(true);
  stop();
});

test('killed between the script and the mark, it follows again: units come back once', async () => {
  await openedSale(context, 'killed');
  await reserveTees(context, 'killed', 6);
  await writeLog(context, 'killed');
  for (const n of [1, 2, 3]) await context.ledger.stepOrder(`killed-${n}`, 'cancelled');
  // The killed command there has run the script, and does nothing more.
  let scripts = 0;
  const dying = startFollowing({
    ledger: {
      ...context.ledger,
      markFollowed: () => {
        scripts++;
        return new Promise(() => {});
      },
    },
  });
  await eventually(() => scripts > 0);
  expect(await tees('killed')).toMatchObject({ booked: 3 });
  expect((await context.ledger.orderCounts('killed')).unfollowed).toBe(3);
  followers.splice(followers.indexOf(dying), 1);
  const { events, stop } = await listen('killed');
  startFollowing();
  await nothingWaits('killed');
  expect(await tees('killed')).toMatchObject({ booked: 3, sold: 0, returned: 0 });
  // The dead one may have told nobody.
  await eventually(() => expect(events.map(({ type }) => type)).toEqual(['orders', 'sale_changed']));
  stop();
});

test('a late follower does not turn a status back, and does not tell of it', async () => {
  await openedSale(context, 'late');
  await reserveTees(context, 'late', 2);
  await writeLog(context, 'late');
  await context.ledger.stepOrder('late-1', 'paid');
  const before = await context.ledger.unfollowedOrders('late', 10);
  await context.ledger.stepOrder('late-1', 'refunded');
  startFollowing();
  await nothingWaits('late');
  await Promise.all(followers.splice(0).map((follower) => follower.close()));
  const { events, stop } = await listen('late');
  await context.ledger.stepOrder('late-2', 'paid');
  let reads = 0;
  startFollowing({
    ledger: {
      ...context.ledger,
      unfollowedOrders: async (...asked) => [
        ...(reads++ === 0 ? before : []),
        ...(await context.ledger.unfollowedOrders(...asked)),
      ],
    },
  });
  await nothingWaits('late');
  await eventually(() => events.length > 0);
  expect(
    events.flatMap((event) =>
      event.type === 'orders' ? event.orders.map(({ reservationId, status }) => [reservationId, status]) : [],
    ),
  ).toEqual([['late-2', 'paid']]);
  expect(await tees('late')).toMatchObject({ booked: 1, sold: 1 });
  stop();
});

test('three followers at once, over more orders than a page has: each unit comes back once', async () => {
  await openedSale(context, 'crowd', { items: [{ sku: 'tee', units: 1_700, price: '19.90' }] });
  await reserveTees(context, 'crowd', 1_700);
  await writeLog(context, 'crowd');
  for (let i = 0; i < 3; i++) startFollowing();
  const wishes = Array.from({ length: 1_700 }, (_, i) => ({ orderId: `crowd-${i + 1}`, userId: `u${i + 1}` }));
  await context.ledger.cancelOrders(wishes.slice(0, 1_600));
  await Promise.all(wishes.slice(1_600).map(({ orderId }) => context.ledger.stepOrder(orderId, 'paid')));
  await nothingWaits('crowd');
  expect(await tees('crowd')).toMatchObject({ booked: 100, sold: 100, returned: 0 });
});

test('a sale that Redis has lost waits, is told once, and delays no other; when it is settled it is done with', async () => {
  await openedSale(context, 'gone');
  await openedSale(context, 'there');
  for (const id of ['gone', 'there']) {
    await reserveTees(context, id, 2);
    await writeLog(context, id);
  }
  await context.redis.del(saleKeys('gone').state);
  for (const id of ['gone-1', 'gone-2', 'there-1']) await context.ledger.stepOrder(id, 'cancelled');
  const { log, heard } = listeningLog();
  startFollowing({ log });
  await nothingWaits('there');
  await eventually(() => expect(heard).toMatchObject([{ level: 'error', saleId: 'gone', orders: 2 }]));
  expect((await context.ledger.orderCounts('gone')).unfollowed).toBe(2);
  await context.ledger.settleSale('gone');
  await nothingWaits('gone');
  expect(heard).toHaveLength(1);
});

test('a reservation that Redis lacks waits, and the others of its sale are followed past it', async () => {
  await openedSale(context, 'hole');
  await reserveTees(context, 'hole', 3);
  await writeLog(context, 'hole');
  const entry = (await context.redis.hget(saleKeys('hole').buyers, 'u1'))!;
  await context.redis.hdel(saleKeys('hole').buyers, 'u1');
  await context.ledger.stepOrder('hole-1', 'cancelled');
  await context.ledger.stepOrder('hole-2', 'cancelled');
  const { events, stop } = await listen('hole');
  let visits = 0;
  startFollowing({
    ledger: { ...context.ledger, unfollowedSales: () => (visits++, context.ledger.unfollowedSales()) },
  });
  await eventually(async () => expect((await context.ledger.orderCounts('hole')).unfollowed).toBe(1));
  const since = visits;
  await eventually(() => visits > since + 10);
  // The ledger decides, so the buyer hears it all the same, once.
  expect(
    events
      .flatMap((event) =>
        event.type === 'orders' ? event.orders.map(({ userId, status }) => `${userId} ${status}`) : [],
      )
      .toSorted(),
  ).toEqual(['u1 cancelled', 'u2 cancelled']);
  stop();
  expect(await tees('hole')).toMatchObject({ booked: 2 });
  await context.redis.hset(saleKeys('hole').buyers, 'u1', entry);
  await nothingWaits('hole');
  expect(await tees('hole')).toMatchObject({ booked: 1 });
});

test('an order that was paid before it is announced as created is not announced so', async () => {
  await openedSale(context, 'early');
  await reserveTees(context, 'early', 2);
  await writeLog(context, 'early');
  const orders = await context.ledger.orders({ saleId: 'early' });
  await context.ledger.stepOrder('early-1', 'paid');
  startFollowing();
  await nothingWaits('early');
  const { events, stop } = await listen('early');
  await announceOrders(context.redis, signer, 'early', orders);
  await announceOrders(context.redis, signer, 'early', orders.slice(1));
  await eventually(() => expect(events).toHaveLength(2));
  expect(
    events.flatMap((event) =>
      event.type === 'orders' ? event.orders.map(({ reservationId, status }) => [reservationId, status]) : [],
    ),
  ).toEqual([
    ['early-2', 'created'],
    ['early-2', 'created'],
  ]);
  expect((await heldBy(context.redis, 'early', 'u1')).map(({ status }) => status)).toEqual(['paid']);
  stop();
});
