import { afterAll, expect, onTestFinished, test } from 'vitest';
import { publish } from '../../../src/store/events.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { addUnits, follow } from '../../../src/store/sales.ts';
import type { OrderStatus } from '../../../src/sale/order.ts';
import type { Client } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { buy, enter, scriptCalls, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();
const [one, two] = await Promise.all([openGateway(server.url), openGateway(server.url)]);
afterAll(() => Promise.all([one.close(), two.close()]));

const become = async (
  saleId: string,
  userId: string,
  ordinal: number,
  status: Exclude<OrderStatus, 'reserved'>,
  toStock = true,
) => {
  await follow(redis, saleId, [{ userId, ordinal, status, toStock }]);
  await publish(redis, { type: 'sale_changed', saleId });
};

/** Buys until Redis is not asked any more; all answers on the way are equal. */
async function untilLocalAnswers(client: Client, saleId: string, code: string, more = {}): Promise<void> {
  await eventually(async () => {
    const before = await scriptCalls(redis);
    for (let i = 0; i < 5; i++) expect((await buy(client, saleId, more)).code).toBe(code);
    expect(await scriptCalls(redis)).toBe(before);
  });
}

test('[R6] sold out for good: losers are answered without Redis, buyers still hear of their order, and other items are sold', async () => {
  await stockSale(redis, { saleId: 'gone', items: [tee(1), { sku: 'mug', units: 1, price: '9.90' }], perUserMax: 2 });
  const [ann, bob] = [await enter(one.url, 'ann'), await enter(one.url, 'bob')];
  expect((await buy(ann, 'gone', { ref: 'a' })).code).toBe('0');
  for (let i = 0; i < 20; i++)
    expect((await buy(bob, 'gone', { ref: `b${i}` })).code, 'not final while it is unpaid').toBe('-12');
  await become('gone', 'ann', 1, 'paid');
  await untilLocalAnswers(bob, 'gone', '-1', { ref: 'b' });
  const before = await scriptCalls(redis);
  const eve = await enter(one.url, 'eve');
  for (let i = 0; i < 50; i++)
    expect((await buy(eve, 'gone', { ref: `e${i}` })).code, 'a user without an earlier purchase').toBe('-1');
  expect((await buy(eve, 'gone', { ref: 'many', quantity: 3 })).code, 'more than a buyer may hold').toBe('-13');
  expect(await scriptCalls(redis)).toBe(before);
  for (const gateway of [one, two])
    expect(await buy(await enter(gateway.url, 'ann'), 'gone', { ref: 'a' })).toMatchObject({
      code: '1',
      status: 'paid',
      reservationId: 'gone-1',
    });
  expect((await buy(eve, 'gone', { ref: 'mug', sku: 'mug' })).code).toBe('0');
});

test('[R6] units that come back are sold at once at every gateway, and who heard no is told', async () => {
  await stockSale(redis, { saleId: 'back', items: [tee(1)], perUserMax: 1 });
  const ann = await enter(one.url, 'ann');
  const [bob, eve] = [await enter(one.url, 'bob'), await enter(two.url, 'eve')];
  expect((await buy(ann, 'back')).code).toBe('0');
  await become('back', 'ann', 1, 'paid');
  await untilLocalAnswers(bob, 'back', '-1');
  await untilLocalAnswers(eve, 'back', '-1');
  await become('back', 'ann', 1, 'refunded');
  for (const client of [bob, eve])
    expect(await client.next('restock')).toEqual({ type: 'restock', saleId: 'back', sku: 'tee', left: 1 });
  expect((await buy(eve, 'back')).code).toBe('0');
  expect((await buy(bob, 'back')).code).toBe('-12');
  await become('back', 'eve', 2, 'cancelled');
  expect(await bob.next('restock'), 'told again, since he has asked again').toMatchObject({ left: 1 });
});

test('[R6] units that are added are sold to who heard "sold out", and they are told', async () => {
  await stockSale(redis, { saleId: 'more', items: [tee(1)], perUserMax: 1 });
  const [ann, bob, eve] = [await enter(one.url, 'ann'), await enter(one.url, 'bob'), await enter(two.url, 'eve')];
  await buy(ann, 'more');
  await become('more', 'ann', 1, 'paid');
  await untilLocalAnswers(bob, 'more', '-1');
  await untilLocalAnswers(eve, 'more', '-1');
  expect(await addUnits(redis, 'more', { ordinal: 1, sku: 'tee', units: 2 })).toBe('added');
  await publish(redis, { type: 'sale_changed', saleId: 'more' });
  for (const client of [bob, eve])
    expect(await client.next('restock')).toEqual({ type: 'restock', saleId: 'more', sku: 'tee', left: 2 });
  for (const client of [bob, eve]) expect((await buy(client, 'more')).code).toBe('0');
});

test('all reserved: the answer says when the next unit of this item may come back, paid ones do not', async () => {
  await stockSale(redis, { saleId: 'held', items: [tee(2), { sku: 'mug', units: 1, price: '9.90' }], perUserMax: 1 });
  const [ann, bob, eve, dan] = await Promise.all(['ann', 'bob', 'eve', 'dan'].map((user) => enter(one.url, user)));
  await buy(dan!, 'held', { sku: 'mug' });
  await buy(ann!, 'held');
  const { payBy } = await buy(bob!, 'held');
  await become('held', 'ann', 2, 'paid');
  await eventually(async () =>
    expect(await buy(eve!, 'held')).toMatchObject({ code: '-12', reason: 'all_reserved', backAt: payBy }),
  );
  eve!.say({ type: 'visit', saleId: 'held' });
  await eventually(async () =>
    expect((await eve!.next('sale')).items).toMatchObject([
      { sku: 'tee', left: 0, backAt: payBy },
      { sku: 'mug', left: 0 },
    ]),
  );
  await become('held', 'bob', 3, 'paid');
  await eventually(async () => {
    const answer = await buy(eve!, 'held');
    expect(answer).toMatchObject({ code: '-1' });
    expect(answer).not.toHaveProperty('backAt');
  });
});

test('before the opening and after the end those who have nothing are answered without Redis', async () => {
  await stockSale(redis, { saleId: 'early', items: [tee(5)], perUserMax: 1, opensInMs: 60_000 });
  const ann = await enter(one.url, 'ann');
  await untilLocalAnswers(ann, 'early', '-2');
  await stockSale(redis, { saleId: 'over', items: [tee(5)], perUserMax: 1 });
  const bob = await enter(one.url, 'bob');
  expect((await buy(bob, 'over')).code).toBe('0');
  await redis.hset(saleKeys('over').state, 'state', 'closed');
  await publish(redis, { type: 'sale_changed', saleId: 'over' });
  await untilLocalAnswers(ann, 'over', '-3');
  expect((await buy(bob, 'over')).code).toBe('1');
});

test('a sale of a campaign: Redis is asked about buyers of its other sales, since only the script knows their limit', async () => {
  for (const round of [1, 2])
    await stockSale(redis, { saleId: `home.${round}`, items: [tee(1)], perUserMax: 1, boughtMax: 1 });
  const [ann, bob, eve] = await Promise.all(['ann', 'bob', 'eve'].map((user) => enter(one.url, user)));
  expect((await buy(ann!, 'home.1')).code).toBe('0');
  expect((await buy(bob!, 'home.2')).code).toBe('0');
  await become('home.2', 'bob', 1, 'paid');
  await untilLocalAnswers(eve!, 'home.2', '-1');
  expect((await buy(ann!, 'home.2')).code).toBe('-11');
});

test('[R6] a sale of another Redis behind the same connection is not mistaken for the sold-out one', async () => {
  await stockSale(redis, { saleId: 'swap', items: [tee(1)], perUserMax: 1 });
  const [ann, eve] = [await enter(one.url, 'ann'), await enter(one.url, 'eve')];
  await buy(ann, 'swap');
  await become('swap', 'ann', 1, 'paid');
  await untilLocalAnswers(eve, 'swap', '-1');
  const { state, stock, buyers, reservations } = saleKeys('swap');
  const log = await redis.lindex(reservations, 0);
  await redis
    .multi()
    .hdel(buyers, 'ann')
    .hset(
      buyers,
      'eve',
      `1:tee:1:p:1795000000000:${signer.reservationMac({ saleId: 'swap', userId: 'eve', sku: 'tee', quantity: 1 })}:;`,
    )
    .lset(reservations, 0, log!.replace('ann', 'eve'))
    .exec();
  onTestFinished(async () => {
    await redis.del(state, stock, buyers, reservations);
  });
  await eventually(async () => expect(await buy(eve, 'swap')).toMatchObject({ code: '1', status: 'paid' }));
});

test('[R6] sold out, by the same frame to all: each answer names its own sale and ref, and after a top-up or a return no more', async () => {
  const mug = { sku: 'mug', units: 1, price: '9.90' };
  for (const saleId of ['frame-a', 'frame-b']) await stockSale(redis, { saleId, items: [tee(1), mug], perUserMax: 4 });
  const [ann, bob, eve] = [await enter(one.url, 'ann'), await enter(one.url, 'bob'), await enter(one.url, 'eve')];
  for (const saleId of ['frame-a', 'frame-b']) {
    for (const [i, sku] of ['tee', 'mug'].entries()) {
      expect((await buy(ann, saleId, { sku, ref: sku })).code).toBe('0');
      await become(saleId, 'ann', i + 1, 'paid');
    }
    await untilLocalAnswers(bob, saleId, '-1', { ref: 'b' });
  }
  const before = await scriptCalls(redis);
  const no = { type: 'order', code: '-1', reason: 'sold_out' };
  const asks = Array.from({ length: 40 }, (_, i) => ({
    saleId: i % 2 === 0 ? 'frame-a' : 'frame-b',
    sku: i % 4 < 2 ? 'tee' : 'mug',
    ref: 'r'.repeat(1 + i),
  }));
  for (const ask of asks) for (const client of [bob, eve]) client.say({ type: 'buy', ...ask });
  for (const { saleId, ref } of asks)
    for (const client of [bob, eve]) expect(await client.next('order')).toEqual({ ...no, saleId, ref });
  expect(await scriptCalls(redis), 'all of them without Redis').toBe(before);
  await addUnits(redis, 'frame-a', { ordinal: 1, sku: 'mug', units: 1 });
  await publish(redis, { type: 'sale_changed', saleId: 'frame-a' });
  expect(await bob.next('restock')).toMatchObject({ saleId: 'frame-a', sku: 'mug' });
  await become('frame-b', 'ann', 1, 'refunded');
  expect(await bob.next('restock')).toMatchObject({ saleId: 'frame-b', sku: 'tee' });
  for (const [saleId, sku, code] of [
    ['frame-a', 'tee', '-1'],
    ['frame-a', 'mug', '0'],
    ['frame-b', 'mug', '-1'],
    ['frame-b', 'tee', '0'],
  ] as const) {
    expect(await buy(bob, saleId, { sku, ref: `after-${sku}` })).toMatchObject({ saleId, ref: `after-${sku}`, code });
  }
});
