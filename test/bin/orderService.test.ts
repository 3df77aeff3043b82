import { afterAll, beforeAll, expect, test } from 'vitest';
import { orderServiceOf } from '../../src/bin/servers/orderService.ts';
import { discardOrderLetter } from '../../src/operator/sale/deadLetters/discard.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { endSale } from '../../src/operator/sale/transitions.ts';
import { examineShop } from '../../src/operator/doctor/shop.ts';
import { loadConfig } from '../../src/platform/config.ts';
import { isBalanced } from '../../src/sale/equation.ts';
import { redisNow } from '../../src/store/rains.ts';
import { heldBy } from '../../src/store/sales.ts';
import { SECRET } from '../credit/wallet.ts';
import { openShopStage, type ShopStage } from '../console/shop/stage.ts';
import { sampleSale } from '../orders/saleSample.ts';
import { reserveTees } from '../orders/saleStage.ts';
import { startShop, type Shop } from '../orders/shop.ts';
import { eventually } from '../support/eventually.ts';
import { openWorker } from '../support/servers/worker.ts';

let stage: ShopStage;
let shop: Shop;
beforeAll(async () => {
  [stage, shop] = await Promise.all([openShopStage(), startShop()]);
});
afterAll(async () => {
  await shop?.stop();
  await stage?.stop();
});

test('[R8] with ORDER_SERVICE=webhook a worker posts orders to the shop, the shop calls back, what it refuses is sold again, and the sale is settled', async () => {
  const config = loadConfig([], {
    ORDER_SERVICE: 'webhook',
    ORDER_WEBHOOK_URL: shop.url,
    ORDER_WEBHOOK_SECRET: SECRET,
    ORDER_WEBHOOK_BATCH_MAX: '1',
  });
  const now = await redisNow(stage.redis);
  expect(
    await createSale(stage, {
      id: 'shop',
      items: [{ sku: 'tee', units: 10, price: '19.90' }],
      holdMs: 120_000,
      opensAt: now,
      closesAt: now + 600_000,
      orderService: 'webhook',
    }),
  ).toMatchObject({ ok: true });
  expect(await openSale(stage, 'shop')).toMatchObject({ ok: true });
  expect(await reserveTees(stage, 'shop', 5)).toHaveLength(5);
  shop.plan('u2', ['lie', 'takeThenCut']);
  shop.plan('u5', ['refuse']);
  // It pays before the order is written, as a quick buyer's bank does.
  expect(await stage.report('shop-1', 'paid')).toMatchObject({ status: 425 });
  const worker = await openWorker(stage, {
    orders: orderServiceOf(config),
    sweeping: { everyMs: 50, sweepAfterMs: 100 },
    settling: { settleAfterReconnectMs: 0 },
  });
  const statusOf = async (user: string) => (await heldBy(stage.redis, 'shop', user)).map(({ status }) => status);
  try {
    await eventually(async () =>
      expect(await Promise.all(['u1', 'u2', 'u3', 'u4', 'u5'].map(statusOf))).toEqual([
        ['created'],
        ['created'],
        ['created'],
        ['created'],
        ['failed'],
      ]),
    );
    expect([...shop.taken.keys()].sort()).toEqual(['shop-1', 'shop-2', 'shop-3', 'shop-4']);
    for (const [id, status] of [
      ['shop-1', 'paid'],
      ['shop-2', 'cancelled'],
      ['shop-3', 'paid'],
      ['shop-4', 'failed'],
      ['shop-3', 'refunded'],
    ] as const)
      expect(await stage.report(id, status)).toMatchObject({ status: 200 });
    expect(await stage.report('shop-2', 'paid')).toMatchObject({
      status: 409,
      body: { code: 'pay_back', status: 'cancelled' },
    });
    await eventually(async () =>
      expect((await sampleSale(stage, 'shop')).equations[0]).toMatchObject({
        units: 10,
        sold: 1,
        reserved: 0,
        pending: 0,
        left: 9,
      }),
    );
    await eventually(async () =>
      expect(await Promise.all(['u1', 'u2', 'u3', 'u4', 'u5'].map(statusOf))).toEqual([
        ['paid'],
        ['cancelled'],
        ['refunded'],
        ['failed'],
        ['failed'],
      ]),
    );
    // The shop is told of changes that it has not reported itself.
    await eventually(() =>
      expect(shop.ended.get('shop-5')).toEqual({ orderId: 'shop-5', saleId: 'shop', userId: 'u5', status: 'failed' }),
    );
    expect(await examineShop({ ...stage, orderService: 'builtin' })).toMatchObject([
      { subject: 'shop', name: 'service', verdict: 'warning', found: expect.stringContaining('shop') as string },
      { name: 'dead letters', verdict: 'warning', found: '2 of orders' },
    ]);
    expect(await examineShop({ ...stage, orderService: 'webhook' })).toMatchObject([
      { name: 'service', verdict: 'ok' },
      { name: 'dead letters' },
    ]);
    // Redelivery runs all the time: what the operator is done with is sent again by nobody.
    const asked = shop.asked.length;
    for (const job of await stage.queues.ordersDead.getJobs(['waiting']))
      expect(await discardOrderLetter(stage, job.id!, 'told the buyer')).toMatchObject({ outcome: 'discarded' });
    expect(await endSale(stage, 'shop')).toMatchObject({ ok: true });
    await eventually(async () => expect((await stage.ledger.sale('shop'))!.settledAt).toBeDefined());
    expect([shop.asked.length, await stage.letters('shop')]).toEqual([asked, []]);
    const { equations, problems } = await sampleSale(stage, 'shop');
    expect([equations.every(isBalanced), problems]).toEqual([true, []]);
    expect(await stage.report('shop-1', 'refunded')).toMatchObject({ status: 200, body: { outcome: 'done' } });
    expect(await examineShop({ ...stage, orderService: 'builtin' })).toEqual([]);
  } finally {
    await worker.close();
  }
});

test('a sale gets the order service that ORDER_SERVICE names, unless it is created with another one', async () => {
  const now = Date.now();
  const sale = {
    items: [{ sku: 'tee', units: 1, price: '1.00' }],
    holdMs: 60_000,
    opensAt: now + 60_000,
    closesAt: now + 120_000,
  };
  const created = async (
    id: string,
    orderService: 'builtin' | 'webhook' | undefined,
    asked?: 'builtin' | 'webhook',
  ) => {
    expect(
      await createSale(
        { ...stage, ...(orderService && { orderService }) },
        { ...sale, id, ...(asked && { orderService: asked }) },
      ),
    ).toMatchObject({ ok: true });
    return (await stage.ledger.sale(id))!.orderService;
  };
  expect([
    await created('plain', undefined),
    await created('shops', 'webhook'),
    await created('own', 'webhook', 'builtin'),
  ]).toEqual(['builtin', 'webhook', 'builtin']);
});
