import { afterAll, expect, onTestFinished, test } from 'vitest';
import { holdSwitch, releaseSwitch } from '../../../src/store/killSwitches.ts';
import { parseReservation } from '../../../src/sale/reservation.ts';
import { saleKeys } from '../../../src/store/saleKeys.ts';
import { redisNow } from '../../../src/store/rains.ts';
import { follow } from '../../../src/store/sales.ts';
import { publish } from '../../../src/store/events.ts';
import { eventually } from '../../support/eventually.ts';
import type { Client } from '../../support/client.ts';
import { dump, openRedis, stockRain } from '../../support/rain.ts';
import { openGateway } from '../../support/servers/gateway.ts';
import { signer } from '../../support/signer.ts';
import { buy, enter, stockSale, tee } from './stage.ts';

const { server, redis } = await openRedis();
const gateway = await openGateway(server.url);
afterAll(() => gateway.close());

test('[R2][R6] a purchase is reserved with its price and deadline, and the same ref gets the first answer again with its present status', async () => {
  await stockSale(redis, { saleId: 'first', items: [tee(5)], perUserMax: 3 });
  const ann = await enter(gateway.url, 'ann');
  const first = await buy(ann, 'first', { quantity: 2, ref: 'a' });
  expect(first).toEqual({
    type: 'order',
    saleId: 'first',
    ref: 'a',
    code: '0',
    reason: 'reserved',
    reservationId: 'first-1',
    sku: 'tee',
    quantity: 2,
    price: '19.90',
    status: 'reserved',
    payBy: first.payBy,
    place: 1,
  });
  expect(Math.abs(first.payBy! - (await redisNow(redis)) - 60_000)).toBeLessThan(5_000);
  expect(await buy(ann, 'first', { quantity: 2, ref: 'a' })).toEqual({
    ...first,
    code: '1',
    reason: 'already_reserved',
  });
  await follow(redis, 'first', [{ userId: 'ann', ordinal: 1, status: 'paid', toStock: true }]);
  const { place: _, ...paid } = first;
  expect(await buy(ann, 'first', { quantity: 2, ref: 'a' })).toEqual({
    ...paid,
    code: '1',
    reason: 'already_reserved',
    status: 'paid',
  });
  expect(await buy(ann, 'first', { quantity: 2, ref: 'b' })).toMatchObject({
    code: '-13',
    reason: 'limit_reached',
    ref: 'b',
  });
});

test('[R11][R12] a wrong quantity, an unknown item and a missing ref are refused by name, and nothing changes', async () => {
  await stockSale(redis, { saleId: 'strict', items: [tee(50, { perOrderMax: 3 })], perUserMax: 5 });
  const ann = await enter(gateway.url, 'ann');
  const before = await dump(redis);
  for (const quantity of [0, -10, 1.5, 1e16, '2', null]) {
    ann.say({ type: 'buy', saleId: 'strict', sku: 'tee', ref: 'a', quantity });
    expect(await ann.next('error'), String(quantity)).toMatchObject({
      code: 'bad_field',
      reason: expect.stringMatching(/^quantity: expected a whole number from 1 to 1000/) as string,
    });
  }
  expect(await buy(ann, 'strict', { ref: 'a', quantity: 4 })).toMatchObject({ code: '-14', reason: 'no_such_item' });
  expect(await buy(ann, 'strict', { ref: 'a', sku: 'mug' })).toMatchObject({ code: '-14' });
  expect(await buy(ann, 'nowhere', { ref: 'a' })).toMatchObject({ code: '-8', reason: 'no_such_sale' });
  for (const refused of [{ sku: 'te e' }, { ref: '' }, { ref: 'a b' }, { saleId: 'x:y' }]) {
    ann.say({ type: 'buy', saleId: 'strict', sku: 'tee', ref: 'a', ...refused });
    expect(await ann.next('error')).toMatchObject({
      code: 'bad_field',
      reason: expect.stringContaining(`${Object.keys(refused)[0]}: expected`) as string,
    });
  }
  ann.say({ type: 'buy', saleId: 'strict', sku: 'tee' });
  expect(await ann.next('error')).toMatchObject({
    code: 'bad_field',
    reason: expect.stringMatching(/^ref: expected/) as string,
  });
  expect(await dump(redis)).toEqual(before);
});

test('[R14] a changed saleId in the state names no other sale: the reservation becomes an order of this one', async () => {
  await stockSale(redis, { saleId: 'renamed', items: [tee(5)], perUserMax: 1 });
  await redis.hset(saleKeys('renamed').state, 'saleId', 'other');
  const ann = await enter(gateway.url, 'ann');
  expect(await buy(ann, 'renamed')).toMatchObject({ code: '0', reservationId: 'renamed-1' });
  expect(parseReservation((await redis.lindex(saleKeys('renamed').reservations, 0))!)).toMatchObject({
    reservation: { saleId: 'renamed', reservationId: 'renamed-1' },
  });
});

test('where a buyer may hold one unit, no ref is needed', async () => {
  await stockSale(redis, { saleId: 'drop', items: [{ sku: 'tee', units: 2, price: '0.00' }], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  expect(await buy(ann, 'drop')).toMatchObject({ code: '0', reservationId: 'drop-1', price: '0.00' });
  expect(await buy(ann, 'drop')).toMatchObject({ code: '1', reservationId: 'drop-1' });
});

test('[R8] what is shown as left is exact in a large sale too: one of 500 sold shows 499, not 500', async () => {
  await stockSale(redis, { saleId: 'seats', items: [{ sku: 'seat', units: 500, price: '0.00' }], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  const leftFor = async (client: Client) => {
    client.say({ type: 'visit', saleId: 'seats' });
    return (await client.next('sale')).items[0]!.left;
  };
  expect(await leftFor(ann)).toBe(500);
  expect(await buy(ann, 'seats', { sku: 'seat' })).toMatchObject({ code: '0' });
  // A watching user hears of it, and a later one is told the same.
  await eventually(async () => (await ann.next('sale')).items[0]!.left === 499);
  expect(await leftFor(await enter(gateway.url, 'bob'))).toBe(499);
});

test("[R7] a sale opens by the server's clock and without an event; while it is paused or over nothing is reserved", async () => {
  const ann = await enter(gateway.url, 'ann');
  await stockSale(redis, { saleId: 'soon', items: [tee(5)], perUserMax: 1, opensInMs: 1_500 });
  expect(await buy(ann, 'soon')).toMatchObject({ code: '-2', reason: 'not_started' });
  await eventually(async () => expect((await buy(ann, 'soon')).code).toBe('0'), { timeoutMs: 5_000 });
  const [at, payBy] = [
    await redisNow(redis),
    Number((await redis.hget(saleKeys('soon').buyers, 'ann'))!.split(':')[4]),
  ];
  expect(payBy - 60_000).toBeGreaterThanOrEqual(Number(await redis.hget(saleKeys('soon').state, 'opensAt')));
  expect(payBy - 60_000).toBeLessThanOrEqual(at);
  const bob = await enter(gateway.url, 'bob');
  await redis.hset(saleKeys('soon').state, 'state', 'paused');
  expect(await buy(bob, 'soon')).toMatchObject({ code: '-4' });
  await redis.hset(saleKeys('soon').state, 'state', 'closed');
  expect(await buy(bob, 'soon')).toMatchObject({ code: '-3', reason: 'ended' });
  expect((await buy(ann, 'soon')).code, 'the first answer again').toBe('1');
});

test("a visit shows the sale and after it the buyer's orders, and every change of the sale", async () => {
  await stockSale(redis, {
    saleId: 'shown',
    title: 'New year',
    perUserMax: 2,
    items: [
      tee(4, {
        name: 'T-shirt',
        description: 'Cotton.\n纯棉',
        listPrice: '29.90',
        picture: '/tee.png',
        perOrderMax: 2,
      }),
      { sku: 'mug', units: 1, price: '9.90' },
    ],
  });
  const ann = await enter(gateway.url, 'ann');
  await buy(ann, 'shown', { ref: 'a', quantity: 2 });
  const again = await enter(gateway.url, 'ann');
  again.say({ type: 'visit', saleId: 'shown' });
  expect(await again.next('sale')).toMatchObject({
    saleId: 'shown',
    title: 'New year',
    state: 'open',
    holdMs: 60_000,
    perUserMax: 2,
    items: [
      {
        sku: 'tee',
        name: 'T-shirt',
        description: 'Cotton.\n纯棉',
        price: '19.90',
        listPrice: '29.90',
        picture: '/tee.png',
        units: 4,
        perOrderMax: 2,
      },
      { sku: 'mug', price: '9.90', units: 1, left: 1 },
    ],
  });
  expect(await again.next('order')).toMatchObject({
    code: '1',
    ref: 'a',
    reservationId: 'shown-1',
    sku: 'tee',
    quantity: 2,
    price: '19.90',
    status: 'reserved',
    place: 1,
  });
  await redis.hset(saleKeys('shown').state, 'state', 'paused');
  await publish(redis, { type: 'sale_changed', saleId: 'shown' });
  await eventually(async () => expect((await again.next('sale')).state).toBe('paused'));
  const late = await enter(gateway.url, 'late');
  expect((await late.next('welcome')).sales).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ saleId: 'shown', state: 'paused' })]),
  );
  late.say({ type: 'visit', saleId: 'nowhere' });
  expect(await late.next('order')).toMatchObject({ code: '-8' });
});

test('the place in line is the number of the reservation less the orders that the relay has carried', async () => {
  await stockSale(redis, { saleId: 'line', items: [tee(5)], perUserMax: 1 });
  for (const user of ['a', 'b', 'c']) await buy(await enter(gateway.url, user), 'line');
  await redis.set(saleKeys('line').relayed, '2');
  await publish(redis, { type: 'sale_changed', saleId: 'line' });
  const dan = await enter(gateway.url, 'dan');
  expect((await buy(dan, 'line')).place).toBeGreaterThanOrEqual(2);
  await eventually(async () => expect((await buy(dan, 'line')).place).toBe(2));
});

test("a wish to cancel is written down for a worker, and only of a reservation of one's own", async () => {
  await stockSale(redis, { saleId: 'wish', items: [tee(5)], perUserMax: 1 });
  const [ann, bob] = [await enter(gateway.url, 'ann'), await enter(gateway.url, 'bob')];
  await buy(ann, 'wish');
  ann.say({ type: 'cancel', saleId: 'wish', reservationId: 'wish-1' });
  expect(await ann.next('order')).toMatchObject({
    code: '1',
    reservationId: 'wish-1',
    status: 'reserved',
    quantity: 1,
    price: '19.90',
  });
  expect(await redis.lrange(saleKeys('wish').cancels, 0, -1)).toEqual([
    `ann 1 ${signer.wishMac({ saleId: 'wish', userId: 'ann', ordinal: 1 })}`,
  ]);
  for (const [saleId, reservationId] of [
    ['wish', 'wish-1'],
    ['wish', 'wish-2'],
    ['wish', 'other-1'],
    ['wish', 'wish-01'],
  ]) {
    bob.say({ type: 'cancel', saleId, reservationId });
    expect(await bob.next('error')).toMatchObject({
      code: 'bad_field',
      reason: 'reservationId: expected the id of a reservation of yours in this sale',
    });
  }
  bob.say({ type: 'cancel', saleId: 'nowhere', reservationId: 'nowhere-1' });
  expect(await bob.next('order')).toMatchObject({ code: '-8' });
  expect(await redis.llen(saleKeys('wish').cancels)).toBe(1);
});

test('[R10] wishes to cancel beyond the limit are answered "busy", and none is written down', async () => {
  const small = await openGateway(server.url, { limits: { cancelsPendingMax: 1 } });
  onTestFinished(() => small.close());
  await stockSale(redis, { saleId: 'hasty', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(small.url, 'ann');
  await buy(ann, 'hasty');
  for (let i = 0; i < 3; i++) ann.say({ type: 'cancel', saleId: 'hasty', reservationId: 'hasty-1' });
  const codes = [(await ann.next('order')).code, (await ann.next('order')).code, (await ann.next('order')).code];
  expect(codes.sort()).toEqual(['-7', '-7', '1']);
  expect([small.counters.refused.cancels, await redis.llen(saleKeys('hasty').cancels)]).toEqual([2, 1]);
});

test('the switches of grabs and joins hold for purchases and visits', async () => {
  await stockSale(redis, { saleId: 'switched', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(gateway.url, 'ann');
  const hold = async (name: 'grabs' | 'joins') => {
    await holdSwitch(redis, { name, position: 'off', reason: 'test', actor: 'test', since: await redisNow(redis) });
    onTestFinished(() => releaseSwitch(redis, name));
    await eventually(() => gateway.load().switches.some((one) => one.name === name && one.off));
  };
  await hold('grabs');
  expect(await buy(ann, 'switched')).toMatchObject({ code: '-7', retryInMs: expect.any(Number) as number });
  await hold('joins');
  ann.say({ type: 'visit', saleId: 'switched' });
  expect(await ann.next('order')).toMatchObject({ code: '-7', retryInMs: expect.any(Number) as number });
  ann.say({ type: 'cancel', saleId: 'switched', reservationId: 'switched-1' });
  expect(await ann.next('order')).toMatchObject({ code: '-7' });
  expect(await redis.llen(saleKeys('switched').reservations)).toBe(0);
});

test('[R9] a ticket of a rain is none for a sale of the same id, nor the other way round', async () => {
  const guarded = await openGateway(server.url, {
    challenges: {
      tickets: 'always',
      proofOfWork: 'off',
      secret: 'a-ticket-secret-for-tests-0123456789',
      proofOfWorkTries: 10,
    },
  });
  onTestFinished(() => guarded.close());
  await stockRain(redis, { rainId: 'same', amounts: ['1.00'] });
  await stockSale(redis, { saleId: 'same', items: [tee(5)], perUserMax: 1 });
  const ann = await enter(guarded.url, 'ann');
  ann.say({ type: 'join', rainId: 'same' });
  const ofRain = await ann.next('ticket');
  ann.say({ type: 'visit', saleId: 'same' });
  const ofSale = await ann.next('ticket');
  expect([ofRain.saleId, ofSale.saleId, ofSale.rainId]).toEqual([undefined, 'same', 'same']);
  expect(await buy(ann, 'same')).toMatchObject({ code: '-9', reason: 'no_ticket' });
  expect((await buy(ann, 'same', { ticket: ofRain.ticket })).code).toBe('-9');
  ann.say({ type: 'grab', rainId: 'same', ticket: ofSale.ticket });
  expect((await ann.next('result')).code).toBe('-9');
  expect((await buy(ann, 'same', { ticket: ofSale.ticket })).code).toBe('0');
});
