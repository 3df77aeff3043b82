import { expect, test } from 'vitest';
import { cancelOrder, refundOrder } from '../../../src/operator/sale/step.ts';
import type { Refused } from '../../../src/operator/context.ts';
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
