import { expect, test } from 'vitest';
import { cancelOrder, payOrder, refundOrder } from '../../../src/operator/sale/step.ts';
import { orderTotals } from '../../../src/operator/sale/orders.ts';
import type { Refused } from '../../../src/operator/context.ts';
import { formatMoney, parseMoney } from '../../../src/rain/money.ts';
import { openSaleStage } from './saleStage.ts';

const stage = await openSaleStage();
const { context } = stage;
const why = (done: { ok: true } | Refused) =>
  done.ok ? [] : done.refusals.map(({ field, reason }) => `${field}: ${reason}`);
test('an order is cancelled and refunded by hand once, with its record; other steps are refused by name', async () => {
  await stage.open('hand');
  await stage.buy('hand', { userId: 'ann' }, { userId: 'bob' });
  expect(why(await cancelOrder(context, 'hand-1', 'asked'))).toEqual([
    'order: there is no order hand-1; a reservation that is not written as an order yet cannot be changed',
  ]);
  await stage.write('hand');
  await stage.step('hand', 2, 'paid');
  expect(await cancelOrder(context, 'hand-1', 'asked', true)).toMatchObject({ ok: true, changed: true });
  expect((await context.ledger.order('hand-1'))!.status).toBe('created');
  expect(await cancelOrder(context, 'hand-1', ' asked ')).toMatchObject({
    ok: true,
    changed: true,
    order: { orderId: 'hand-1', status: 'cancelled' },
  });
  expect(await cancelOrder(context, 'hand-1', 'asked again')).toMatchObject({ ok: true, changed: false });
  expect(await refundOrder(context, 'hand-2', 'broken')).toMatchObject({
    ok: true,
    changed: true,
    order: { status: 'refunded' },
  });
  expect(why(await refundOrder(context, 'hand-1', 'x'))).toEqual([
    'order: only a paid order can be refunded, hand-1 is cancelled',
  ]);
  expect(why(await cancelOrder(context, 'hand-2', 'x'))).toEqual([
    'order: only an order that waits for its payment can be cancelled, hand-2 is refunded',
  ]);
  expect(why(await cancelOrder(context, 'hand-2', ' '))).toEqual(['reason: expected 1 to 500 characters']);
  expect(why(await cancelOrder(context, '#', 'x'))).toEqual([
    expect.stringMatching(/^order: expected the id of a reservation/),
  ]);
  expect(
    (await context.ledger.actions('hand'))
      .filter(({ verb }) => verb === 'cancel' || verb === 'refund')
      .map(({ verb, actor, details }) => [verb, actor, details]),
  ).toEqual([
    ['cancel', 'test', { orderId: 'hand-1', userId: 'ann', sku: 'tee', quantity: 1, reason: 'asked' }],
    ['refund', 'test', { orderId: 'hand-2', userId: 'bob', sku: 'tee', quantity: 1, reason: 'broken' }],
  ]);
  await stage.follow('hand');
  expect(await stage.audit('hand')).toMatchObject({
    problems: [],
    report: { balanced: true, items: [{ left: 10 }, {}] },
  });
});

test('an order that waits is marked as paid by hand once, with its record; units that are sold again are never paid', async () => {
  await stage.open('paid-hand');
  await stage.buy('paid-hand', { userId: 'ann' }, { userId: 'bob' });
  await stage.write('paid-hand');
  expect(await payOrder(context, 'paid-hand-1', 'in cash', true)).toMatchObject({ ok: true, changed: true });
  expect((await context.ledger.order('paid-hand-1'))!.status).toBe('created');
  expect(await payOrder(context, 'paid-hand-1', ' in cash ')).toMatchObject({
    ok: true,
    changed: true,
    order: { orderId: 'paid-hand-1', status: 'paid' },
  });
  expect(await payOrder(context, 'paid-hand-1', 'in cash')).toMatchObject({ ok: true, changed: false });
  await cancelOrder(context, 'paid-hand-2', 'asked');
  expect(why(await payOrder(context, 'paid-hand-2', 'in cash'))).toEqual([
    'order: only an order that waits for its payment can be marked as paid, paid-hand-2 is cancelled',
  ]);
  expect(
    (await context.ledger.actions('paid-hand')).filter(({ verb }) => verb === 'pay').map(({ details }) => details),
  ).toEqual([{ orderId: 'paid-hand-1', userId: 'ann', sku: 'tee', quantity: 1, reason: 'in cash' }]);
  await stage.follow('paid-hand');
  expect(await stage.audit('paid-hand')).toMatchObject({ problems: [], report: { balanced: true } });
});

test('what orders are worth is added up by item and status, to the cent', async () => {
  await stage.open('worth');
  await stage.buy('worth', { userId: 'ann' }, { userId: 'bob' }, { userId: 'cat' });
  await stage.write('worth');
  await payOrder(context, 'worth-1', 'in cash');
  await payOrder(context, 'worth-2', 'in cash');
  const { price } = (await context.ledger.order('worth-1'))!;
  const twice = formatMoney(2n * parseMoney(price)!);
  expect(await orderTotals(context, 'worth')).toMatchObject({
    ok: true,
    totals: [
      { sku: 'tee', status: 'created', orders: 1, units: 1, amount: price },
      { sku: 'tee', status: 'paid', orders: 2, units: 2, amount: twice },
    ],
  });
  expect(why(await orderTotals(context, 'nowhere'))).toHaveLength(1);
});
