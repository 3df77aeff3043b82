import { afterAll, expect, test } from 'vitest';
import type { OrderStatus } from '../../../src/sale/order.ts';
import { publish } from '../../../src/store/events.ts';
import { follow } from '../../../src/store/sales.ts';
import { openRedis } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { buy, enter, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

const order = (userId: string, reservationId: string, status: OrderStatus) => ({
  userId,
  reservationId,
  status,
  mark: signer.orderMark({ userId, reservationId, status }),
});

test('every socket of a buyer is told of each step of the order, with what was bought', async () => {
  await stockSale(redis, { saleId: 'told', items: [tee(5)], perUserMax: 2 });
  const [phone, laptop, bob] = [
    await enter(gateway.url, 'ann'),
    await enter(gateway.url, 'ann'),
    await enter(gateway.url, 'bob'),
  ];
  const { place: _, ...reserved } = await buy(phone, 'told', { ref: 'a', quantity: 2 });
  for (const status of ['created', 'paid', 'refunded'] as const) {
    await follow(redis, 'told', [{ userId: 'ann', ordinal: 1, status, toStock: true }]);
    await publish(redis, {
      type: 'orders',
      saleId: 'told',
      orders: [order('ann', 'told-1', status), order('nobody', 'told-2', status)],
    });
    for (const client of [phone, laptop])
      expect(await client.next('order')).toEqual({ ...reserved, code: '1', reason: 'already_reserved', status });
  }
  expect((await buy(bob, 'told', { ref: 'b' })).code, 'the only message of the other buyer').toBe('0');
});

test('a status that was told while the gateway could hear nobody is told when it hears again', async () => {
  await stockSale(redis, { saleId: 'missed', items: [tee(5)], perUserMax: 1 });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  for (const client of [ann, bob]) {
    client.say({ type: 'visit', saleId: 'missed' });
    await client.next('sale');
  }
  const { place: _, ...reserved } = await buy(ann, 'missed');
  await redis.client('KILL', 'TYPE', 'PUBSUB');
  await follow(redis, 'missed', [{ userId: 'ann', ordinal: 1, status: 'created', toStock: false }]);
  await publish(redis, { type: 'orders', saleId: 'missed', orders: [order('ann', 'missed-1', 'created')] });
  expect(await ann.next('order')).toEqual({ ...reserved, code: '1', reason: 'already_reserved', status: 'created' });
  expect((await buy(bob, 'missed')).code, 'whoever has no order is told of none').toBe('0');
});

test('[R9] a status that nobody has signed is told to nobody', async () => {
  await stockSale(redis, { saleId: 'forged', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  await buy(ann, 'forged');
  const genuine = order('ann', 'forged-1', 'created');
  await publish(redis, {
    type: 'orders',
    saleId: 'forged',
    orders: [
      { ...genuine, status: 'paid' },
      { ...genuine, reservationId: 'forged-2' },
      { ...genuine, mark: '' },
    ],
  });
  await publish(redis, { type: 'orders', saleId: 'forged', orders: [genuine] });
  expect(await ann.next('order')).toMatchObject({ code: '1', reservationId: 'forged-1', status: 'created' });
});

test('[R14] a signed status that somebody publishes again, once the order has gone on, is told to nobody', async () => {
  await stockSale(redis, { saleId: 'again', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  await buy(ann, 'again');
  const publishAs = (status: OrderStatus) =>
    publish(redis, { type: 'orders', saleId: 'again', orders: [order('ann', 'again-1', status)] });
  for (const status of ['created', 'paid', 'refunded'] as const)
    await follow(redis, 'again', [{ userId: 'ann', ordinal: 1, status, toStock: true }]);
  for (const status of ['paid', 'created', 'refunded'] as const) await publishAs(status);
  expect(await ann.next('order')).toMatchObject({ reservationId: 'again-1', status: 'refunded' });
});

test('a status is told even when Redis has lost what was bought', async () => {
  await stockSale(redis, { saleId: 'lost', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  await publish(redis, { type: 'orders', saleId: 'lost', orders: [order('ann', 'lost-1', 'paid')] });
  expect(await ann.next('order')).toEqual({
    type: 'order',
    saleId: 'lost',
    code: '1',
    reason: 'already_reserved',
    reservationId: 'lost-1',
    status: 'paid',
  });
});
