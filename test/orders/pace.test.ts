import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startExpirer } from '../../src/orders/expirer.ts';
import { startFollower } from '../../src/orders/follower.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { follow } from '../../src/store/sales.ts';
import { eventually } from '../support/eventually.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { signer } from '../support/signer.ts';
import { openedSale, reserveTees, writeLog } from './saleStage.ts';

let context: TestContext;
const working: { close(): Promise<void> }[] = [];
beforeAll(async () => {
  context = await openTestContext();
});
afterEach(async () => {
  await Promise.all(working.splice(0).map((part) => part.close()));
});
afterAll(() => context?.stop());

const log = createLog('orders', 'silent');

/** When pieces of work began and ended, ms. */
type Span = { began: number; ended: number };
/** How long each rest was, as a share of the work before it. */
const rests = (spans: readonly Span[]) =>
  spans.slice(1).map(({ began }, i) => (began - spans[i]!.ended) / (spans[i]!.ended - spans[i]!.began));

async function filledSale(id: string, orders: number, holdMs: number): Promise<void> {
  await openedSale(context, id, { holdMs, items: [{ sku: 'tee', units: orders, price: '19.90' }] });
  await reserveTees(context, id, orders);
  await writeLog(context, id);
}

test('while a wave times out, the expirer rests longer than it works', async () => {
  await filledSale('due', 1_000, 1);
  const spans: Span[] = [];
  working.push(
    startExpirer({
      log,
      everyMs: 10,
      ordersMax: 200,
      ledger: {
        async expireOrders(limit) {
          const began = performance.now();
          const ended = await context.ledger.expireOrders(limit);
          // Timers count whole milliseconds: the work must be long beside one.
          await sleep(30);
          if (ended > 0) spans.push({ began, ended: performance.now() });
          return ended;
        },
      },
    }),
  );
  await eventually(() => expect(spans).toHaveLength(5));
  expect((await context.ledger.orderCounts('due')).created).toBe(0);
  for (const rest of rests(spans)) expect(rest).toBeGreaterThan(1.2);
});

test('while Redis follows a wave, the follower rests as long as a page takes', async () => {
  await filledSale('wave', 4_100, 60_000);
  await context.ledger.cancelOrders(
    Array.from({ length: 4_100 }, (_, i) => ({ orderId: `wave-${i + 1}`, userId: `u${i + 1}` })),
  );
  const spans: Span[] = [];
  let began = 0;
  working.push(
    startFollower({
      redis: context.redis,
      signer,
      log,
      everyMs: 10,
      ledger: {
        ...context.ledger,
        unfollowedSales: async () => ['wave'],
        unfollowedOrders: (...asked) => {
          began = performance.now();
          return context.ledger.unfollowedOrders(...asked);
        },
        async markFollowed(orders) {
          await context.ledger.markFollowed(orders);
          spans.push({ began, ended: performance.now() });
        },
      },
    }),
  );
  await eventually(async () => expect((await context.ledger.orderCounts('wave')).unfollowed).toBe(0), {
    timeoutMs: 15_000,
  });
  expect(spans.length).toBeGreaterThanOrEqual(3);
  for (const rest of rests(spans).slice(0, 2)) expect(rest).toBeGreaterThan(0.9);
});

test('a long list is brought to Redis by one call after the other, so that it can answer buyers in between', async () => {
  await openedSale(context, 'long', { items: [{ sku: 'tee', units: 600, price: '19.90' }] });
  await reserveTees(context, 'long', 600);
  let [underWay, atOnce, calls] = [0, 0, 0];
  const counting = new Proxy(context.redis, {
    get(redis, name) {
      if (name !== 'evalsha') return Reflect.get(redis, name) as unknown;
      return async (...call: Parameters<typeof redis.evalsha>) => {
        calls++;
        atOnce = Math.max(atOnce, ++underWay);
        return redis.evalsha(...call).finally(() => underWay--);
      };
    },
  });
  const answers = await follow(
    counting,
    'long',
    Array.from({ length: 600 }, (_, i) => ({ userId: `u${i + 1}`, ordinal: i + 1, status: 'created', toStock: false })),
  );
  expect(answers).toEqual(Array.from({ length: 600 }, () => 'changed'));
  expect(calls).toBeGreaterThan(4);
  expect(atOnce).toBe(1);
});
