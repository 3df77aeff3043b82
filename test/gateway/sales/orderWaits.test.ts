import { expect, onTestFinished, test } from 'vitest';
import { OrderWaits } from '../../../src/gateway/sales/orderWaits.ts';

function open(): { waits: OrderWaits; wait: ReturnType<OrderWaits['open']> } {
  const waits = new OrderWaits({ orderWaitsMax: 10, orderWaitsPerUserMax: 10 });
  const wait = waits.open('s-1', 'ann');
  onTestFinished(() => wait.end());
  return { waits, wait };
}

test('an event that was overtaken wakes nobody; the next step does', async () => {
  const { waits, wait } = open();
  const answer = wait.until('paid', 60_000);
  for (const status of ['created', 'paid', 'refunded'] as const) waits.tell('s-1', 'ann', status, status);
  expect(await answer).toBe('refunded');
});

test('what came before the reading is waited for no more, unless the reading is later', async () => {
  const { waits, wait } = open();
  for (const status of ['paid', 'created'] as const) waits.tell('s-1', 'ann', status, status);
  expect(await wait.until('created', 60_000), 'read again').toBeUndefined();
  const later = wait.until('paid', 60_000);
  waits.tell('s-1', 'ann', 'refunded', 'refunded');
  expect(await later).toBe('refunded');
});
