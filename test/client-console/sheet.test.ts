import { expect, test } from 'vitest';
import { orderRows, sheetRows } from '../../client-console/src/screens/sheet/rows.ts';
import type { Order, Winner } from '../../client-console/src/state/responses.ts';

const [EARLY, LATE] = ['2026-02-16T12:00:00.000Z', '2026-02-16T12:00:00.500Z'];
const winner = (userId: string, at: string, more: Partial<Winner> = {}): Winner => ({
  redPacketId: `p-${userId}`,
  userId,
  amount: '1.10',
  at,
  status: 'credited',
  ...more,
});

test('winners stand in the order in which they won, also those of one batch, who have one time', () => {
  const { rows } = sheetRows([winner('dan', LATE), winner('cem', LATE), winner('bob', EARLY), winner('ann', EARLY)]);
  expect(rows.map(({ userId }) => userId)).toEqual(['ann', 'bob', 'cem', 'dan']);
  // The log of another shard comes after the first one's.
  expect(
    sheetRows([winner('bob', LATE), winner('cem', EARLY), winner('ann', EARLY)]).rows.map(({ userId }) => userId),
  ).toEqual(['ann', 'cem', 'bob']);
});

test('[R8] a win that was given up is not on the list, and one that cannot be credited is not in the sum', () => {
  const { rows, due } = sheetRows([
    winner('dan', EARLY, { status: 'dead' }),
    winner('cem', EARLY, { status: 'discarded' }),
    winner('bob', EARLY, { status: 'pending' }),
    winner('ann', EARLY),
  ]);
  expect(rows.map(({ userId }) => userId)).toEqual(['ann', 'bob', 'dan']);
  expect(due).toBe('2.20');
});

test("of the orders those are on the list whose units are the buyer's or kept for him, in the order of the reservations", () => {
  const order = (orderId: string, reservedAt: string, status: Order['status'], quantity = 1): Order => ({
    orderId,
    userId: `u-${orderId}`,
    sku: 'tee',
    quantity,
    price: '0.00',
    amount: '0.00',
    status,
    reservedAt,
    payBy: LATE,
    changedAt: LATE,
  });
  const { rows, units } = orderRows([
    order('1', LATE, 'paid'),
    order('2', EARLY, 'created', 2),
    order('3', EARLY, 'paid'),
    ...(['cancelled', 'timed_out', 'failed', 'refunded'] as const).map((status) => order(status, EARLY, status)),
  ]);
  expect(rows.map(({ orderId }) => orderId)).toEqual(['2', '3', '1']);
  expect(units).toBe(4);
});
