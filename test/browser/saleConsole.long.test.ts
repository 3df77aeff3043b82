import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { redisNow } from '../../src/store/rains.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { addOrderLetters } from '../../src/orders/deadLetters.ts';
import type { OrderLetter } from '../../src/orders/deadLetter.ts';
import { latePayment } from '../../src/orders/reports.ts';
import { openedSale, reservationLog, reserve, reserveTees, writeLog } from '../orders/saleStage.ts';
import { signer } from '../support/signer.ts';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';
import { endAnimations, findBarriers } from './axe.ts';
import { buildShippedPage, OPERATOR_PAGE } from './built-page.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { ACTIONS, goTo, LAPTOP, openConsole, photograph, signIn } from './operator.ts';
import { PHONE } from './stage.ts';
import { closePages } from './windows.ts';

const LOOKS = [
  { locale: 'en-GB', colorScheme: 'light', viewport: LAPTOP },
  { locale: 'en-GB', colorScheme: 'dark', viewport: PHONE, hasTouch: true },
  { locale: 'zh-CN', colorScheme: 'dark', viewport: LAPTOP },
  { locale: 'zh-CN', colorScheme: 'light', viewport: PHONE, hasTouch: true },
] as const;

describe.skipIf(WITHOUT_CHROMIUM)('every screen of sales, in both languages, on a laptop and on a phone', () => {
  let testConsole: TestConsole;
  let browser: Awaited<ReturnType<typeof launchChromium>>;
  beforeAll(async () => {
    await buildShippedPage();
    [testConsole, browser] = await Promise.all([openTestConsole({ consoleFolder: OPERATOR_PAGE }), launchChromium()]);
    const { ledger, redis } = testConsole;
    await openedSale(testConsole, 'newyear', {
      title: 'New year · 新年秒杀',
      perUserMax: 3,
      items: [
        { sku: 'tee', name: 'A warm T-shirt · 保暖 T 恤', units: 100, price: '19.90', listPrice: '29.90' },
        { sku: 'mug', units: 12, price: '9.90' },
        { sku: 'seat', name: 'Seat', units: 5_000, price: '0.00' },
      ],
    });
    await reserveTees(testConsole, 'newyear', 40);
    await reserve(
      testConsole,
      'newyear',
      Array.from({ length: 12 }, (_, i) => ({
        userId: `a-user-with-a-long-name-${i}@example.com`,
        sku: 'mug',
        quantity: 1,
      })),
    );
    await writeLog(testConsole, 'newyear');
    for (const [step, ...ordinals] of [
      ['paid', 1, 2, 3, 4, 5, 41, 42],
      ['cancelled', 6, 7],
      ['timed_out', 8, 9],
      ['failed', 10],
    ] as const)
      for (const n of ordinals) await ledger.stepOrder(`newyear-${n}`, step);
    await ledger.stepOrder('newyear-5', 'refunded');
    // Somebody has changed a count by hand, and one reservation has no order.
    await openedSale(testConsole, 'changed', { title: 'Changed by hand' });
    await reserveTees(testConsole, 'changed', 2);
    await redis.hincrby(saleKeys('changed').stock, 'tee:booked', 3);
    const now = await redisNow(redis);
    // One reservation was refused by the shop, one is not confirmed, and one was paid for after its units were sold
    // again.
    const letter = async (index: number, reason: OrderLetter['reason'], detail: string) => ({
      saleId: 'newyear',
      index,
      entry: JSON.stringify((await reservationLog(testConsole, 'newyear'))[index]),
      reason,
      detail,
    });
    await addOrderLetters(
      testConsole.queues.ordersDead,
      [
        await letter(9, 'failed', 'HTTP 422: no such address'),
        await letter(10, 'unavailable', 'HTTP 503, at 20:00:05, after 12 tries in 10 minutes'),
        latePayment((await ledger.order('newyear-6'))!, signer, Date.now()),
        { saleId: 'newyear', index: 90, entry: 'torn', reason: 'malformed', detail: 'Unexpected token' },
      ],
      signer,
    );
    // Redis has lost a sale of a campaign, with orders that wait.
    await ledger.createCampaign(
      { id: 'season', title: 'Season · 新年季', winsPerUserMax: 2, shards: 1, rollOver: false },
      'test',
    );
    await openedSale(testConsole, 'season.1', { title: 'Season opening', campaign: { id: 'season', round: 1 } });
    await reserveTees(testConsole, 'season.1', 3);
    await writeLog(testConsole, 'season.1');
    await ledger.stepOrder('season.1-1', 'paid');
    await redis.del(Object.values(saleKeys('season.1')));
    await createSale(testConsole, {
      id: 'planned',
      title: 'Planned',
      items: [{ sku: 'tee', units: 5, price: '1.00' }],
      holdMs: 60_000,
      opensAt: now + 86_400_000,
      closesAt: now + 90_000_000,
      rehearsal: true,
    });
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await browser?.close();
    await testConsole?.stop();
  });

  const soon = <T>(seen: () => T) => expect.poll(seen, { timeout: 20_000, interval: 50 });
  const consoleOf = () => ({ consoleUrl: testConsole.url });
  /** Nothing is out of reach, neither for eyes nor for a screen reader. */
  async function look(page: Page, name: string): Promise<void> {
    // A dialog that fades in has no contrast yet.
    await endAnimations(page);
    expect(await findBarriers(page), name).toEqual([]);
    expect(
      await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      `${name} fits the width`,
    ).toBe(true);
    await photograph(page, name);
  }

  test.each(LOOKS)('$locale, $viewport.width wide', { timeout: 180_000 }, async (options) => {
    const { page, faults } = await openConsole(browser, consoleOf(), '#/sales', options);
    const named = (what: string) =>
      `sale-${what}-${options.locale.slice(0, 2)}-${options.viewport === PHONE ? 'phone' : 'laptop'}`;
    await signIn(page, 'opal');
    await page.getByTestId('sale').nth(2).waitFor();
    await look(page, named('list'));
    await goTo(page, '#/create-sale');
    await look(page, named('empty'));
    await page.getByTestId('preset-goods').click();
    await page.getByTestId('item-0-units').fill('many');
    await page.locator('details summary').first().click();
    await page.getByTestId('review').click();
    await page.locator('.refusal').first().waitFor();
    await look(page, named('refused'));
    await page.getByTestId('item-0-units').fill('100');
    await page.getByTestId('review').click();
    await page.getByTestId('deeds').waitFor();
    await look(page, named('review'));
    await page.keyboard.press('Escape');
    await goTo(page, '#/sales/newyear');
    await page.getByTestId('units-seat').waitFor();
    await look(page, named('page'));
    for (const [verb, what] of [
      ['topUp', '#top-up'],
      ['end', '#end'],
    ] as const) {
      await page.getByTestId(`verb-${verb}`).click();
      await page.locator('dialog').waitFor();
      await look(page, named(what.slice(1)));
      await page.keyboard.press('Escape');
    }
    await goTo(page, '#/sales/changed');
    await page.getByTestId('repair').click();
    await soon(() => page.locator('dialog').textContent()).toMatch(/tee:booked .*5 .*2/);
    await look(page, named('repair'));
    await page.keyboard.press('Escape');
    await look(page, named('wrong'));
    await goTo(page, '#/sales/newyear/live');
    await page.locator('[data-testid=live-adds-up][data-balanced]').waitFor();
    await look(page, named('live'));
    await page.getByTestId('live-adds-up').scrollIntoViewIfNeeded();
    await photograph(page, named('live-below'));
    await goTo(page, '#/sales/newyear/orders');
    await page.getByTestId('order').nth(20).waitFor();
    await soon(() => page.getByTestId('revenue').textContent()).toContain('99.40');
    expect(await page.getByTestId('item-total').count()).toBe(2);
    // A name is not broken every three letters.
    const widths = await page.locator('[data-testid=order] th').evaluateAll((all) => all.map((one) => one.clientWidth));
    expect(Math.min(...widths)).toBeGreaterThan(110);
    await look(page, named('orders'));
    await page.getByTestId('order').last().scrollIntoViewIfNeeded();
    await photograph(page, named('orders-below'));
    await page.getByTestId('cancel').first().click();
    await page.getByTestId('why').fill('…');
    await look(page, named('cancel'));
    await page.keyboard.press('Escape');
    await page.getByTestId('to-sheet').click();
    // Without the six that were cancelled, timed out, failed or were refunded.
    await soon(() => page.getByTestId('sheet-row').count()).toBe(46);
    expect(await page.getByTestId('sheet-row').allTextContents()).toContainEqual(
      expect.stringMatching(/1 × A warm T-shirt.*19\.90/),
    );
    await look(page, named('orders-sheet'));
    await goTo(page, '#/dead/orders');
    await page.getByTestId('order-letter').nth(3).waitFor();
    await look(page, named('letters'));
    await page.getByTestId('discard').nth(2).click();
    await look(page, named('discard'));
    await page.keyboard.press('Escape');
    await goTo(page, '#/dead/orders/newyear');
    await page.getByTestId('requeue-all').click();
    await look(page, named('requeue-all'));
    await page.keyboard.press('Escape');
    await goTo(page, '#/sales/season.1');
    await page.getByTestId('write-off').click();
    await page.getByTestId('write-off-deeds').waitFor();
    await look(page, named('write-off'));
    await page.keyboard.press('Escape');
    await look(page, named('lost'));
    await goTo(page, '#/campaigns/season');
    await page.getByTestId('add-sale').click();
    await page.getByTestId('of-campaign').waitFor();
    await look(page, named('of-campaign'));
    await goTo(page, '#/campaigns/season');
    await page.getByTestId('campaign-buyers').waitFor();
    await look(page, named('campaign'));
    expect(faults).toEqual([]);
  });

  test('the big screen shows a sale of many items as a whole, with letters that can be read from far away', async () => {
    await openedSale(testConsole, 'many', {
      title: 'Many items',
      items: Array.from({ length: 8 }, (_, i) => ({ sku: `item-${i}`, units: 500, price: '19.90' })),
    });
    const { page } = await openConsole(browser, consoleOf(), '#/sales/many/live', {
      viewport: { width: 1920, height: 1080 },
    });
    await signIn(page, 'opal');
    const stage = page.getByTestId('live');
    await page.getByTestId('board-item-7').waitFor();
    await page.getByTestId('big').click();
    await page.locator('.stage[data-big=true]').waitFor();
    await soon(() => stage.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBeLessThan(2);
    const letters = (part: string) =>
      stage
        .locator(part)
        .first()
        .evaluate((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    expect(await letters('.board td')).toBeGreaterThan(14);
    // Its axes are written with three quarters of it.
    expect(await letters('.chart')).toBeGreaterThan(16);
  });

  test('the badge of the menu leads to the list that has the dead letters, and so does the empty one', async () => {
    const { page } = await openConsole(browser, consoleOf(), '#/dead');
    await signIn(page, 'opal');
    expect(await page.getByTestId('other-letters').textContent()).toBe('There are 4 dead letters of sales');
    const badge = page.locator('.side .count');
    await soon(() => badge.textContent()).toBe('4');
    await badge.click();
    await soon(() => page.getByTestId('order-letter').count()).toBe(4);
    expect(await page.locator('.tabs [aria-current] .count').textContent()).toBe('4');
  });

  test(
    'a dead letter is found, requeued and discarded; a lost sale is written off after it was said what that does',
    { timeout: 120_000 },
    async () => {
      const { page, faults } = await openConsole(browser, consoleOf(), '#/sales/newyear');
      await signIn(page, 'opal');
      await page.getByTestId('to-letters').click();
      await soon(() => page.getByTestId('order-letter').count()).toBe(4);
      // A refusal stands beside its field.
      await page.getByTestId('search-order').fill('#');
      await soon(() =>
        page
          .locator('.field', { has: page.getByTestId('search-order') })
          .locator('.refusal')
          .textContent(),
      ).toBe('expected the id of a reservation, such as autumn-17');
      expect(await page.locator('.refused-box').count()).toBe(0);
      await page.getByTestId('search-order').fill('11');
      await soon(() => page.getByTestId('order-letter').count()).toBe(1);
      await page.getByTestId('requeue').click();
      await page.getByTestId('act').click();
      await soon(() => page.getByTestId('order-letter').count()).toBe(0);
      expect((await testConsole.queues.orders.getWaiting()).map(({ data }) => [data.saleId, data.from])).toEqual([
        ['newyear', 10],
      ]);
      await page.getByTestId('search-order').fill('');
      await page.getByTestId('search-user').fill('u6');
      await soon(() => page.getByTestId('order-letter').count()).toBe(1);
      expect(await page.getByTestId('requeue').count(), 'sending it again changes nothing').toBe(0);
      await page.getByTestId('discard').click();
      await page.getByTestId('why-discarded').fill('paid back, receipt 123');
      await page.getByTestId('act').click();
      await soon(() => page.getByTestId('order-letter').count()).toBe(0);
      await page.getByTestId('search-user').fill('');
      await soon(() => page.getByTestId('order-letter').count()).toBe(2);
      await page.getByTestId('requeue-all').click();
      await page.getByTestId('act').click();
      await soon(() => page.getByTestId('requeued').textContent()).toBe(
        '1 sent again. 1 stays: sending it again changes nothing. It says what to do. ',
      );
      await page.keyboard.press('Escape');

      // Somebody writes a hold and a forged entry by hand: the page says so, and the entry is marked as seen.
      await openedSale(testConsole, 'stopped', { title: 'Stopped' });
      await testConsole.redis.hset(saleKeys('stopped').state, 'held', 'by a stranger');
      await testConsole.redis.rpush(saleKeys('stopped').reservations, 'forged');
      await goTo(page, '#/sales/stopped');
      await soon(() => page.getByTestId('held').textContent()).toContain('“by a stranger”');
      await testConsole.redis.hdel(saleKeys('stopped').state, 'held');
      await page.getByTestId('acknowledge').click();
      await soon(() => page.locator('dialog').textContent()).toMatch(/[1-9] findings? of data/);
      await page.getByTestId('why-seen').fill('written by a stranger');
      await page.getByTestId('act').click();
      await soon(() => page.getByTestId('acknowledge').count()).toBe(0);

      await goTo(page, '#/sales/season.1');
      expect(await page.getByTestId('bought-max').textContent()).toBe('2');
      await soon(() => page.getByTestId('unsettled').textContent()).toContain('2 units wait for payment');
      await page.getByTestId('write-off').click();
      await soon(() => page.getByTestId('write-off-deeds').textContent()).toContain('12 units go back to the shop.');
      await page.getByTestId('why-written-off').fill('Redis was flushed');
      await page.getByTestId('act').click();
      await page.locator('dialog').waitFor({ state: 'detached' });
      expect(await testConsole.ledger.sale('season.1')).toHaveProperty('sealedAt');
      await soon(() => page.getByTestId('unsettled').textContent()).toContain('It was written off.');
      expect(
        await page.locator('[data-testid=write-off], [data-testid=verb-load]').count(),
        'what would be refused, or is done',
      ).toBe(0);
      expect(faults).toEqual([]);
    },
  );

  test('a viewer sees everything and is offered nothing', async () => {
    const { page, faults } = await openConsole(browser, consoleOf(), '#/sales');
    await signIn(page, 'vera');
    for (const hash of [
      '#/dead/orders',
      '#/sales/season.1',
      '#/sales',
      '#/sales/newyear',
      '#/sales/changed',
      '#/sales/newyear/live',
      '#/sales/newyear/orders',
      '#/sales/newyear/orders/sheet',
    ]) {
      await goTo(page, hash);
      await page
        .locator(
          '[data-testid=sale], [data-testid=adds-up], [data-testid=live], [data-testid=order], [data-testid=order-letter], [data-testid=sheet-row]',
        )
        .first()
        .waitFor();
      expect(
        await page
          .locator(
            `${ACTIONS}, [data-testid=repair], [data-testid=cancel], [data-testid=refund], [data-testid=requeue], [data-testid=discard], [data-testid=write-off], [data-testid=new-sale]`,
          )
          .count(),
        hash,
      ).toBe(0);
    }
    await goTo(page, '#/create-sale');
    expect(await page.locator('form').count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
