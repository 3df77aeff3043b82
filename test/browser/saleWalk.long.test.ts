import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { redisNow } from '../../src/store/rains.ts';
import { closeSale } from '../../src/store/saleEnd.ts';
import { reschedule } from '../../src/store/saleTransitions.ts';
import { readSale } from '../../src/store/sales.ts';
import { eventually } from '../support/eventually.ts';
import { buy, itemOf, itemShows, ordersOf, orderShows, saleShows } from './buyer.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { text } from './player.ts';
import { setSaleStage, type SaleStage } from './saleStage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('a buyer in a real browser', () => {
  let stage: SaleStage;
  beforeAll(async () => {
    stage = await setSaleStage();
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test('[R6] in Chinese: the sale beside the rain, the countdown, the quantity, the place in line, the order, the payment', async () => {
    const { context } = stage;
    const opensAt = (await redisNow(context.redis)) + 95_000;
    await stage.openSale('autumn', {
      title: '中秋秒杀',
      opensAt,
      closesAt: opensAt + 600_000,
      perUserMax: 3,
      items: [
        { sku: 'tee', name: '纪念 T 恤', units: 10, price: '19.90', listPrice: '39.00', perOrderMax: 2 },
        { sku: 'card', name: '贺卡', units: 5, price: '0.00' },
      ],
    });
    const page = await stage.open('/', { locale: 'zh-CN' });
    const link = page.getByTestId('sale-link');
    await link.waitFor();
    expect(await link.textContent()).toContain('中秋秒杀');
    await link.click();
    await saleShows(page, 'loaded');
    expect(new URL(page.url()).searchParams.get('sale')).toBe('autumn');
    expect(await text(page, 'sale-state')).toBe('距开抢');
    expect(await text(page, 'sale-count')).toMatch(/^00:01:[0-3]\d$/);
    const tee = itemOf(page, 'tee');
    expect([
      await tee.getByTestId('price').textContent(),
      await tee.getByTestId('list-price').textContent(),
      await itemOf(page, 'card').getByTestId('price').textContent(),
    ]).toEqual(['¥19.90', '¥39.00', '免费']);
    expect(await tee.getByTestId('limit').textContent()).toBe('本场每人合计限购 3 件');
    await tee.getByTestId('more').click();
    expect(await tee.getByTestId('quantity').inputValue()).toBe('2');
    await eventually(() => tee.getByTestId('more').isDisabled());
    expect(await tee.getByTestId('buy').getAttribute('aria-disabled')).toBe('true');
    const earlier = { opensAt: (await redisNow(context.redis)) + 1_000, closesAt: opensAt + 600_000 };
    await context.ledger.rescheduleSale(
      'autumn',
      earlier,
      { actor: 'test', verb: 'start' },
      { opensAt, closesAt: opensAt + 600_000 },
    );
    await reschedule(context.redis, 'autumn', earlier);
    await itemShows(page, 'tee', 'buy');
    expect(await text(page, 'sale-state')).toBe('距结束');
    expect(await tee.getByTestId('buy').textContent()).toBe('抢购 · ¥39.80');
    await buy(page, 'tee');
    // No worker is there yet, so the order waits in line.
    const order = await orderShows(page, 'reserved');
    expect(await order.getByTestId('order-detail').textContent()).toBe('排在第 1 位，正在生成订单。');
    expect(await order.getByTestId('pay-by').textContent()).toMatch(/^(1:00|0:5\d)$/);
    expect(await order.getByTestId('pay').isVisible()).toBe(false);
    expect(await tee.getByTestId('limit').textContent()).toBe('本场已抢 2 / 3 件');
    expect(await text(page, 'sale-spoken')).toContain('已保留');
    await stage.work();
    await orderShows(page, 'created', 'autumn-1');
    expect(await order.page().getByTestId('pay').textContent()).toBe('付款 ¥39.80');
    await page.getByTestId('pay').click();
    const paid = await orderShows(page, 'paid', 'autumn-1');
    expect(await paid.getByTestId('order-status').textContent()).toBe('已付款');
    expect(await paid.getByTestId('pay-by').isVisible()).toBe(false);
    expect((await context.ledger.order('autumn-1'))?.status).toBe('paid');
    await eventually(async () =>
      expect((await readSale(context.redis, 'autumn'))!.items[0]).toMatchObject({ booked: 2, sold: 2 }),
    );

    // A reload shows the same sale and order; back is the rain.
    await page.reload();
    await orderShows(page, 'paid', 'autumn-1');
    expect(await ordersOf(page).count()).toBe(1);
    // A gateway reads what is left once a second; the page that loads within it shows the reading before.
    await eventually(async () =>
      expect(await itemOf(page, 'tee').getByTestId('units-left').textContent()).toBe('剩 8 件'),
    );
    await closeSale(context.redis, 'autumn', 'early');
    await itemShows(page, 'tee', 'over');
    expect(await itemOf(page, 'tee').getByTestId('units-left').isVisible(), 'what is left goes back to the shop').toBe(
      false,
    );
    await page.getByTestId('sale-back').click();
    await page.getByTestId('sale-link').waitFor();
    expect(await page.getByTestId('phone').isVisible()).toBe(true);
  }, 60_000);
});
