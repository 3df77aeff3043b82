import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { redisNow } from '../../src/store/rains.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { readSale } from '../../src/store/sales.ts';
import { reserve, wishToCancel } from '../orders/saleStage.ts';
import { eventually } from '../support/eventually.ts';
import { buy, itemOf, itemShows, ordersOf, orderShows, saleShows } from './buyer.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { text } from './player.ts';
import { setSaleStage, type SaleStage } from './saleStage.ts';

const TEE = { sku: 'tee', name: 'Lion T-shirt', units: 2, price: '19.90' };

describe.skipIf(WITHOUT_CHROMIUM)('a buyer in a real browser, with everything that may happen to an order', () => {
  let stage: SaleStage;
  beforeAll(async () => {
    stage = await setSaleStage();
    await stage.work();
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  const visitOf = async (saleId: string, options = {}): Promise<Page> => {
    const page = await stage.open(`/?sale=${saleId}`, options);
    await saleShows(page, 'open');
    return page;
  };
  const statusOf = async (orderId: string) => (await stage.context.ledger.order(orderId))?.status;
  const stockOf = async (saleId: string) => (await readSale(stage.context.redis, saleId))!.items[0];
  const answerOf = async (page: Page) => (await itemOf(page, 'tee').getByTestId('answer').textContent()) ?? '';
  /** Another buyer, at another gateway. */
  const bobBuys = (saleId: string, quantity: number) =>
    reserve(stage.context, saleId, [{ userId: 'bob', sku: 'tee', quantity }]);

  test('in English: buy, place in line, order, payment on the page of the shop', async () => {
    await stage.openSale('walk', {
      title: 'New Year sale',
      items: [{ ...TEE, units: 10, listPrice: '39.00' }],
      perUserMax: 1,
    });
    const page = await visitOf('walk', { pay: { url: 'https://shop.test/pay?order={orderId}' } });
    expect([await text(page, 'sale-title'), await text(page, 'sale-state')]).toEqual(['New Year sale', 'Ends in']);
    expect(await text(page, 'sale-count')).toMatch(/^00:(10:00|09:\d\d)$/);
    await buy(page, 'tee');
    const order = await orderShows(page, 'created', 'walk-1');
    expect(await order.getByTestId('order-status').textContent()).toBe('To pay');
    expect(await order.getByTestId('pay-by').textContent()).toMatch(/^(1:00|0:\d\d)$/);
    expect(await order.getByTestId('pay-link').getAttribute('href')).toBe('https://shop.test/pay?order=walk-1');
    expect(await order.getByTestId('pay').isVisible()).toBe(false);
    expect(await itemOf(page, 'tee').getByTestId('buy').textContent()).toBe('Limit reached');
    await stage.context.ledger.stepOrder('walk-1', 'paid');
    await orderShows(page, 'paid', 'walk-1');
    await stage.context.ledger.stepOrder('walk-1', 'refunded');
    await orderShows(page, 'refunded', 'walk-1');
    await itemShows(page, 'tee', 'buy');
  }, 60_000);

  test.each(['no-preference', 'reduce'] as const)(
    'coins fly over a free item that somebody gets, with motion "%s"',
    async (motion) => {
      await stage.openSale(`gift-${motion}`, { items: [{ ...TEE, price: '0.00' }] });
      const page = await visitOf(`gift-${motion}`);
      await page.emulateMedia({ reducedMotion: motion });
      // The canvas is gone within two seconds, so it is counted as it comes.
      await page.evaluate(() => {
        const seen = { canvases: 0 };
        Object.assign(window, { seen });
        new MutationObserver((changes) => {
          for (const { addedNodes } of changes)
            for (const node of addedNodes) if (node instanceof HTMLCanvasElement) seen.canvases++;
        }).observe(document.querySelector('[data-testid=sale]')!, { childList: true });
      });
      await buy(page, 'tee');
      await orderShows(page, 'paid');
      expect(await page.evaluate(() => (window as unknown as { seen: { canvases: number } }).seen.canvases)).toBe(
        motion === 'reduce' ? 0 : 1,
      );
      await page.locator('.fountain').waitFor({ state: 'detached' });
      expect(await ordersOf(page).first().getByTestId('order-status').textContent()).toBe('Yours');
    },
  );

  test('without a way to pay here, a sentence says where; for a free item nobody asks', async () => {
    await stage.openSale('elsewhere', { items: [TEE] });
    const page = await visitOf('elsewhere', { pay: undefined });
    await buy(page, 'tee');
    const order = await orderShows(page, 'created');
    expect(await order.getByTestId('order-detail').textContent()).toBe('Pay in the app or on the page of the shop.');
    expect([await order.getByTestId('pay').isVisible(), await order.getByTestId('pay-link').isVisible()]).toEqual([
      false,
      false,
    ]);
    await stage.openSale('free', { items: [{ ...TEE, price: '0.00' }] });
    const free = await visitOf('free');
    expect(await itemOf(free, 'tee').getByTestId('price').textContent()).toBe('Free');
    await buy(free, 'tee');
    await orderShows(free, 'paid');
  }, 60_000);

  test('a miss says when a piece may come back; the bell rings when one does, and it is bought', async () => {
    await stage.openSale('miss', { items: [TEE] });
    const page = await visitOf('miss');
    await bobBuys('miss', 2);
    await buy(page, 'tee');
    await itemShows(page, 'tee', 'gone');
    await eventually(async () =>
      expect(await answerOf(page)).toMatch(/^All pieces are reserved\. The next may come back at \d\d:\d\d:\d\d\.$/),
    );
    expect(await ordersOf(page).count()).toBe(0);
    const bell = itemOf(page, 'tee').getByTestId('bell');
    await bell.click();
    await eventually(async () =>
      expect([await bell.getAttribute('aria-pressed'), await bell.textContent()]).toEqual([
        'true',
        'You will be told here',
      ]),
    );
    await wishToCancel(stage.context, 'miss', 'bob', 1);
    await page.getByTestId('rang').waitFor();
    expect(await text(page, 'rang')).toBe('Back in stock: Lion T-shirt');
    expect(await text(page, 'sale-spoken')).toContain('Back in stock: Lion T-shirt');
    expect(await answerOf(page)).toBe('Pieces are back. Buy now!');
    await buy(page, 'tee');
    await orderShows(page, 'created', 'miss-2');
    expect(await page.getByTestId('rang').isVisible()).toBe(false);
    expect(await stockOf('miss')).toMatchObject({ booked: 1 });
  }, 60_000);

  test('a bell rings on the screen of the rain, too', async () => {
    await stage.openSale('away', { items: [TEE] });
    await bobBuys('away', 2);
    const page = await visitOf('away');
    await itemShows(page, 'tee', 'gone');
    await itemOf(page, 'tee').getByTestId('bell').click();
    await page.getByTestId('sale-back').click();
    const link = page.locator('[data-testid=sale-link][data-sale=away]');
    await link.waitFor();
    expect(await link.textContent()).toContain('On now');
    await wishToCancel(stage.context, 'away', 'bob', 1);
    await page.locator('[data-testid=sale-link][data-sale=away][data-rings]').waitFor();
    expect(await link.textContent()).toContain('Back in stock');
    await link.click();
    await itemShows(page, 'tee', 'buy');
    expect(await text(page, 'rang')).toBe('Back in stock: Lion T-shirt');
  }, 60_000);

  test('sold out for good is said only by the server, when every piece is paid for', async () => {
    await stage.openSale('gone', { items: [TEE] });
    await bobBuys('gone', 2);
    const page = await visitOf('gone');
    await itemShows(page, 'tee', 'gone');
    await eventually(async () => (await statusOf('gone-1')) === 'created');
    await stage.context.ledger.stepOrder('gone-1', 'paid');
    await eventually(async () => expect(await stockOf('gone')).toMatchObject({ sold: 2 }));
    await buy(page, 'tee');
    await itemShows(page, 'tee', 'sold_out');
    expect(await answerOf(page)).toBe('Sold out for good: every piece is paid for.');
    expect(await itemOf(page, 'tee').getByTestId('buy').getAttribute('aria-disabled')).toBe('true');
    expect(await itemOf(page, 'tee').getByTestId('bell').isVisible()).toBe(false);
  }, 60_000);

  test('a buyer cancels with the keyboard, and may buy again', async () => {
    await stage.openSale('back', { items: [TEE], perUserMax: 1 });
    const page = await visitOf('back');
    await itemOf(page, 'tee').getByTestId('buy').focus();
    await page.keyboard.press('Enter');
    await orderShows(page, 'created', 'back-1');
    await page.getByTestId('cancel').focus();
    await page.keyboard.press('Space');
    const order = await orderShows(page, 'cancelled', 'back-1');
    expect(await order.getByTestId('order-status').textContent()).toBe('Cancelled');
    await eventually(() => order.evaluate((card) => card === document.activeElement));
    expect(await statusOf('back-1')).toBe('cancelled');
    await itemShows(page, 'tee', 'buy');
    await buy(page, 'tee');
    await orderShows(page, 'created', 'back-2');
    expect(await ordersOf(page).count()).toBe(2);
  }, 60_000);

  test('an order that is not paid in time says so, and a failed one too', async () => {
    await stage.openSale('late', { items: [TEE], holdMs: 2_500 });
    const page = await visitOf('late');
    await buy(page, 'tee');
    const order = await orderShows(page, 'timed_out', 'late-1');
    expect(await order.getByTestId('order-detail').textContent()).toBe(
      'The time to pay is over. The pieces are sold again.',
    );
    expect(await order.getByTestId('cancel').isVisible()).toBe(false);
    await eventually(async () => expect(await stockOf('late')).toMatchObject({ booked: 0 }));
    await buy(page, 'tee');
    await orderShows(page, 'created', 'late-2');
    await stage.context.ledger.stepOrder('late-2', 'failed');
    expect(await (await orderShows(page, 'failed', 'late-2')).getByTestId('order-status').textContent()).toBe('Failed');
  }, 60_000);

  test('[R6] a reconnect in the middle keeps everything: a purchase on its way, the bell, the quantity, and an order that was paid meanwhile', async () => {
    const mug = { sku: 'mug', name: 'Mug', units: 1, price: '9.90' };
    await stage.openSale('line', { items: [{ ...TEE, units: 10 }, mug] });
    await reserve(stage.context, 'line', [{ userId: 'bob', sku: 'mug', quantity: 1 }]);
    const page = await visitOf('line');
    await buy(page, 'tee');
    await orderShows(page, 'created', 'line-2');
    await itemOf(page, 'mug').getByTestId('bell').click();
    await itemOf(page, 'tee').getByTestId('more').click();
    await stage.stopGateway();
    await page.getByTestId('sale-note').waitFor();
    expect(await text(page, 'sale-note')).toBe('Connection lost, reconnecting …');
    await buy(page, 'tee');
    await itemShows(page, 'tee', 'asking');
    await stage.context.ledger.stepOrder('line-2', 'paid');
    await wishToCancel(stage.context, 'line', 'bob', 1);
    await eventually(async () => (await statusOf('line-1')) === 'cancelled');
    await stage.restartGateway();
    await orderShows(page, 'paid', 'line-2');
    await orderShows(page, 'created', 'line-3');
    expect(await stage.context.ledger.order('line-3')).toMatchObject({ sku: 'tee', quantity: 2 });
    await page.getByTestId('rang').waitFor();
    expect(await text(page, 'rang')).toBe('Back in stock: Mug');
    expect(await page.getByTestId('sale-note').isVisible()).toBe(false);
    expect(await stage.context.redis.llen(saleKeys('line').reservations), 'bought once').toBe(3);
    await page.reload();
    await orderShows(page, 'created', 'line-3');
    expect(await ordersOf(page).count()).toBe(2);
  }, 60_000);

  test('a sale that opens later in the same page opens its buttons by the clock of the server; a picture that cannot be loaded is drawn', async () => {
    const opensAt = (await redisNow(stage.context.redis)) + 6_000;
    await stage.openSale('later', {
      opensAt,
      closesAt: opensAt + 600_000,
      items: [{ ...TEE, picture: '/nowhere.png' }],
    });
    const page = await stage.open('/?sale=later');
    await itemOf(page, 'tee').locator('.sale-placeholder').waitFor();
    await itemShows(page, 'tee', 'buy');
    expect(await redisNow(stage.context.redis)).toBeGreaterThanOrEqual(opensAt - 500);
    await buy(page, 'tee');
    await orderShows(page, 'created', 'later-1');
  }, 60_000);

  test('[R10] where a purchase needs a ticket, and the ticket a challenge, it waits for it and counts', async () => {
    await stage.openSale('strict', { items: [TEE] });
    await stage.stopGateway();
    await stage.restartGateway({
      challenges: {
        tickets: 'always',
        proofOfWork: 'always',
        secret: 'a-ticket-secret-for-tests-0123456789',
        proofOfWorkTries: 60,
      },
    });
    const page = await stage.open('/');
    const said: { type: string; ticket?: string }[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => said.push(JSON.parse(String(payload)) as { type: string })),
    );
    await page.goto(`${page.url().split('?')[0]}?sale=strict`);
    await itemShows(page, 'tee', 'buy');
    await buy(page, 'tee');
    await orderShows(page, 'created', 'strict-1');
    expect(said.filter(({ type }) => type === 'solution')).toHaveLength(1);
    expect(said.filter(({ type }) => type === 'buy').at(-1)!.ticket).toMatch(/^[\w-]{20,128}$/);
  }, 60_000);
});
