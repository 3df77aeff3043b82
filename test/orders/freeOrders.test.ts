import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openOrderRoom, type OrderRoom } from './room.ts';
import { figuresOf } from './saleFigures.ts';

let room: OrderRoom;
beforeAll(async () => {
  room = await openOrderRoom();
});
afterEach(() => room.rest());
afterAll(() => room?.stop());

const { expectBalanced } = figuresOf(() => room);
const ITEMS = [
  { sku: 'tee', units: 5, price: '0.00' },
  { sku: 'mug', units: 5, price: '0.01' },
];
const statuses = async (id: string) =>
  (await room.ledger.orders({ saleId: id })).map(({ sku, status }) => `${sku} ${status}`);
const BUYERS = [
  { userId: 'ann', sku: 'tee', quantity: 2 },
  { userId: 'bob', sku: 'mug', quantity: 1 },
  { userId: 'cem', sku: 'tee', quantity: 1 },
];

test('an order of nothing is paid when it is written: a free ticket times out for nobody; one of a cent is not', async () => {
  await room.openSale('free', { items: ITEMS });
  expect(await room.buy('free', BUYERS)).toEqual(['0', '0', '0']);
  await room.carry();
  room.work();
  await room.drained();
  expect(await statuses('free')).toEqual(['tee paid', 'mug created', 'tee paid']);
  expect((await room.ledger.stock('free'))[0]).toMatchObject({
    accounts: { available: 2, reserved: 0, sold: 3 },
    paid: 3,
    created: 0,
  });
  expect(await expectBalanced('free', 'mug')).toMatchObject({ left: 4, reserved: 1 });
  // Their buyers hear it at once, and never that they are created.
  await eventually(() =>
    expect(room.heard.map(({ reservationId, status }) => `${reservationId} ${status}`).toSorted()).toEqual([
      'free-1 paid',
      'free-2 created',
      'free-3 paid',
    ]),
  );
  expect((await room.ledger.unfollowedOrders('free', 10)).map(({ id, status }) => `${id} ${status}`)).toEqual([
    'free-1 paid',
    'free-3 paid',
  ]);
});

test('[R5] killed between the order and its payment of nothing, the next delivery pays it, once; one that was cancelled meanwhile stays cancelled', async () => {
  await room.openSale('cut', { items: ITEMS });
  await room.buy('cut', BUYERS);
  await room.carry();
  let faults = 1;
  room.work({
    ledger: {
      ...room.ledger,
      payFreeOrders: async (ids) => {
        if (faults-- <= 0) return room.ledger.payFreeOrders(ids);
        await room.ledger.stepOrder('cut-3', 'cancelled');
        throw new Error('killed');
      },
    },
  });
  await eventually(async () => expect(await statuses('cut')).toEqual(['tee paid', 'mug created', 'tee cancelled']));
  await room.drained();
  await room.relay.resend('cut', 0, 3);
  await room.drained();
  expect((await room.ledger.stock('cut'))[0]).toMatchObject({
    accounts: { available: 3, reserved: 0, sold: 2 },
    paid: 2,
  });
  // Neither before it was paid nor after it was cancelled was anybody told that one is created: what is announced is
  // not sent again.
  expect(
    new Set(
      room.heard
        .filter(({ reservationId }) => reservationId.startsWith('cut'))
        .map(({ reservationId, status }) => `${reservationId} ${status}`),
    ),
  ).toEqual(new Set(['cut-1 paid', 'cut-2 created']));
});
