import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { scriptedSale } from '../support/servers/scriptedSale.ts';
import { testClient } from '../support/rainClient.ts';

const ITEMS = [
  { sku: 'tee', units: 5, price: '19.90' },
  { sku: 'mug', units: 1, price: '0.00' },
];

test('visits, buys, hears of the order, and of its payment', async () => {
  const sale = await scriptedSale({ items: ITEMS });
  const ann = await testClient(sale.url, 'ann');
  await ann.connect();
  expect(await ann.visit('autumn')).toMatchObject({
    kind: 'visited',
    sale: { state: 'open', items: [{ sku: 'tee', units: 5 }, { sku: 'mug' }] },
  });
  expect(await ann.buy('autumn', { sku: 'tee', quantity: 2 })).toMatchObject({
    kind: 'reserved',
    reservationId: 'autumn-1',
    sku: 'tee',
    quantity: 2,
    price: '19.90',
  });
  await eventually(() => ann.orders('autumn')[0]?.status === 'created');
  sale.step('autumn-1', 'paid');
  await eventually(() =>
    expect(ann.heard('order').map(({ saleId, status }) => [saleId, status])).toEqual([
      ['autumn', 'reserved'],
      ['autumn', 'created'],
      ['autumn', 'paid'],
    ]),
  );
  expect(ann.heard('buying')).toMatchObject([{ saleId: 'autumn', sku: 'tee', quantity: 2, why: 'sent' }]);
  expect(ann.sale('autumn')).toMatchObject({ title: 'Autumn' });
});

test('what is refused says why, and a restock is told', async () => {
  const sale = await scriptedSale({ items: ITEMS, perUserMax: 2 });
  const [ann, bob] = [await testClient(sale.url, 'ann'), await testClient(sale.url, 'bob')];
  await Promise.all([ann.connect(), bob.connect()]);
  await bob.visit('autumn');
  expect(await ann.buy('autumn', { sku: 'mug' })).toMatchObject({ kind: 'reserved' });
  expect(await bob.buy('autumn', { sku: 'mug' })).toMatchObject({
    kind: 'all_reserved',
    backAt: expect.any(Number) as number,
  });
  expect(await bob.buy('autumn', { sku: 'hat' })).toEqual({ kind: 'no_such_item' });
  expect(await bob.buy('autumn', { sku: 'tee', quantity: 3 })).toEqual({ kind: 'limit_reached' });
  const nowhere = bob.visit('nowhere');
  expect(await bob.buy('nowhere', { sku: 'tee' })).toEqual({ kind: 'no_such_sale' });
  expect(await nowhere).toEqual({ kind: 'refused', code: '-8', reason: 'no_such_sale' });
  sale.step('autumn-1', 'timed_out');
  sale.broadcast({ type: 'restock', saleId: 'autumn', sku: 'mug', left: 1 });
  await eventually(() =>
    expect(bob.heard('restock')).toEqual([{ type: 'restock', saleId: 'autumn', sku: 'mug', left: 1 }]),
  );
  expect(await bob.buy('autumn', { sku: 'mug' })).toMatchObject({ kind: 'reserved' });
});

test('a reservation is given back', async () => {
  const sale = await scriptedSale({ items: ITEMS });
  const ann = await testClient(sale.url, 'ann');
  await ann.connect();
  await ann.buy('autumn', { sku: 'tee' });
  expect(await ann.cancel('autumn', 'autumn-1')).toMatchObject({ kind: 'cancelled', reservationId: 'autumn-1' });
  expect(sale.model.booked('tee')).toBe(0);
  await ann.buy('autumn', { sku: 'tee' });
  await eventually(() => sale.step('autumn-2', 'paid'));
  expect(await ann.cancel('autumn', 'autumn-2')).toMatchObject({ kind: 'paid' });
  expect(await ann.cancel('autumn', 'autumn-77')).toEqual({ kind: 'no_such_item' });
});

describe('[R6] bought once', () => {
  test.each([
    ['the answer is lost', 'lost'],
    ['the connection is lost', 'cut'],
  ] as const)('when %s', async (_what, fate) => {
    const sale = await scriptedSale({
      items: ITEMS,
      writesOrders: false,
      onBuy: (_message, asked) => (asked === 1 ? fate : undefined),
    });
    const ann = await testClient(sale.url, 'ann');
    await ann.connect();
    await ann.visit('autumn');
    expect(await ann.buy('autumn', { sku: 'tee' })).toMatchObject({ kind: 'reserved', reservationId: 'autumn-1' });
    expect(sale.model.reservations).toHaveLength(1);
    const refs = sale.heard
      .filter((message) => (message as { type: string }).type === 'buy')
      .map((message) => (message as { ref?: string }).ref);
    expect(new Set(refs).size).toBe(1);
    expect(ann.heard('order')).toHaveLength(1);
  });

  test('when it is asked again after "busy" and "too fast", at the requested time', async () => {
    const codes = ['-7', '-5'] as const;
    const sale = await scriptedSale({
      items: ITEMS,
      onBuy: (_message, asked) => (codes[asked - 1] ? { code: codes[asked - 1]!, retryInMs: 20 } : undefined),
    });
    const ann = await testClient(sale.url, 'ann');
    await ann.connect();
    expect(await ann.buy('autumn', { sku: 'tee', ref: 'first' })).toMatchObject({ kind: 'reserved' });
    expect(ann.heard('buying').map(({ why }) => why)).toEqual(['sent', '-7', 'sent', '-5', 'sent']);
    expect(await ann.buy('autumn', { sku: 'tee', ref: 'first' })).toMatchObject({
      kind: 'already_reserved',
      reservationId: 'autumn-1',
      status: 'created',
    });
    expect(sale.model.reservations).toHaveLength(1);
  });
});

test('an order that was paid while the line was down is told after the reconnect; a sale that was left is not visited again', async () => {
  const sale = await scriptedSale({ items: ITEMS });
  const ann = await testClient(sale.url, 'ann');
  await ann.connect();
  expect(await ann.visit('other')).toMatchObject({ kind: 'refused' });
  await ann.buy('autumn', { sku: 'tee' });
  ann.leaveSale('other');
  ann.renew();
  expect(ann.link).not.toBe('up');
  sale.step('autumn-1', 'paid');
  await eventually(() => ann.orders('autumn')[0]?.status === 'paid');
  expect(ann.heard('order').map(({ status }) => status)).toEqual(['reserved', 'created', 'paid']);
  const visits = sale.heard.flatMap((message) =>
    (message as { type: string }).type === 'visit' ? [(message as unknown as { saleId: string }).saleId] : [],
  );
  expect(visits).toEqual(['other', 'autumn', 'autumn']);
});

test('to close ends what is asked for', async () => {
  const sale = await scriptedSale({ items: ITEMS, onBuy: () => 'lost' });
  const ann = await testClient(sale.url, 'ann');
  await ann.connect();
  const [bought, cancelled, visited] = [
    ann.buy('autumn', { sku: 'tee' }),
    ann.cancel('autumn', 'autumn-9'),
    ann.visit('elsewhere'),
  ];
  ann.close();
  expect(await bought).toEqual({ kind: 'unanswered' });
  expect(await cancelled).toEqual({ kind: 'unanswered' });
  expect(await visited).toEqual({ kind: 'refused', code: 'closed', reason: 'this client was closed' });
});
