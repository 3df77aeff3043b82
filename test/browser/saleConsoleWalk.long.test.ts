import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { goTo, openConsole, photograph, signIn } from './operator.ts';
import { openSaleHouse, type SaleHouse } from './saleConsole.ts';
import { closePages } from './windows.ts';

const BUYERS = 8;

describe.skipIf(WITHOUT_CHROMIUM)('a sale at the console', () => {
  let house: SaleHouse;
  beforeAll(async () => {
    house = await openSaleHouse();
  });
  afterEach(() => closePages(house.browser));
  afterAll(() => house?.end());

  const soon = <T>(look: () => T) => expect.poll(look, { timeout: 20_000, interval: 50 });
  const shown = (page: Page, testId: string) => page.getByTestId(testId).first().textContent();
  const number = async (page: Page, testId: string) => Number((await shown(page, testId))!.replaceAll(',', ''));

  test(
    'is created with two items, loaded, bought by simulated buyers, adds up on the board, and an order is cancelled and downloaded',
    { timeout: 90_000 },
    async () => {
      const { testConsole, browser } = house;
      const { page, faults } = await openConsole(browser, { consoleUrl: testConsole.url }, '#/sales');
      await signIn(page, 'opal');
      await page.getByTestId('new-sale').click();
      await page.getByTestId('preset-goods').click();
      await page.getByTestId('title').fill('New year');
      await page.getByTestId('start-in').fill('0');

      // A refusal stands beside its field.
      const refusal = (testId: string) =>
        page
          .locator('.field', { has: page.getByTestId(testId) })
          .locator('.refusal')
          .textContent();
      for (const [field, text] of [
        ['item-1-units', '-5'],
        ['item-1-price', 'abc'],
        ['hold', '5x'],
      ] as const)
        await page.getByTestId(field).fill(text);
      expect(await page.getByTestId('goods').textContent()).not.toContain('abc');
      await page.getByTestId('review').click();
      await soon(() => refusal('item-1-units')).toBe('expected a whole number from 1 to 1,000,000,000');
      expect(await refusal('item-1-price'), 'in the same round').toContain('with two decimals, such as 19.90');
      expect(await refusal('hold')).toBe('expected a number above zero');
      for (const [field, text] of [
        ['item-1-units', '5'],
        ['item-1-price', '9.90'],
        ['hold', '5'],
      ] as const)
        await page.getByTestId(field).fill(text);
      await page.getByTestId('per-user').fill('1');
      expect(await shown(page, 'goods-total')).toBe('105 units, worth ¥2,039.50 in all.');
      await page.getByText('Put it on sale').click();
      await page.getByTestId('review').click();
      await soon(() => shown(page, 'deeds')).toContain('105 units go into the stock');
      expect(await findBarriers(page)).toEqual([]);
      // An impatient double click makes one sale.
      await page.getByTestId('act').dblclick();
      await soon(() => shown(page, 'state')).toBe('Draft');
      const saleId = new URL(page.url()).hash.split('/')[2]!;
      await page.getByTestId('verb-load').click();
      await page.getByTestId('act').click();
      await soon(() => shown(page, 'state')).toBe('On sale');

      expect(await shown(page, 'player-address')).toBe(`${testConsole.url}/?sale=${saleId}`);
      expect(await shown(page, 'swarm-command')).toContain(`swarm --sale ${saleId} `);
      expect(await shown(page, 'bots-warning')).toContain('real stock');

      await goTo(page, `#/sales/${saleId}/live`);
      const bought = await house.buy(saleId, BUYERS);
      expect(bought.misunderstood).toBe(0);
      await soon(async () => (await testConsole.ledger.orders({ saleId })).length).toBe(bought.told.reservations);
      const orders = await testConsole.ledger.orders({ saleId });
      expect(orders.length).toBeGreaterThan(2);
      const [paid, cancelled] = [orders[0]!, orders[1]!];
      await testConsole.ledger.stepOrder(paid.id, 'paid');
      await soon(() => shown(page, 'live-paid')).toBe(String(paid.quantity));
      await soon(() => page.getByTestId('live-adds-up').getAttribute('data-balanced')).toBe('true');
      const units = { tee: 100, mug: 5 };
      for (const [sku, all] of Object.entries(units)) {
        const of = (part: string) => number(page, `board-${sku}-${part}`);
        await soon(
          async () => (await of('left')) + (await of('reserved')) + (await of('paid')) + (await of('returned')),
        ).toBe(all);
      }
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, 'sale-live');

      await goTo(page, `#/sales/${saleId}/orders`);
      await soon(() => page.getByTestId('order').count()).toBe(orders.length);
      await page.getByTestId('search-user').fill(cancelled.userId);
      await page.getByTestId('search-order').fill(cancelled.id.split('-')[1]!);
      await soon(() => page.getByTestId('order').count()).toBe(1);
      await page.getByTestId('cancel').click();
      await page.getByTestId('why').fill('the customer called');
      await page.getByTestId('act').click();
      await soon(() => page.locator('[data-testid=order] .chip').textContent()).toBe('Cancelled');
      await page.getByTestId('search-user').fill('');
      await page.getByTestId('search-order').fill('');
      await soon(() => page.getByTestId('order').count()).toBe(orders.length);
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('csv').click()]);
      const file = join(temporaryFolder(), 'orders.csv');
      await download.saveAs(file);
      const lines = readFileSync(file, 'utf8').trim().split('\r\n');
      expect(lines).toHaveLength(orders.length + 1);
      expect(lines.find((line) => line.startsWith(`${cancelled.id},`))).toMatch(
        new RegExp(`^${cancelled.id},${cancelled.userId},(tee|mug),,\\d+,[\\d.]+,[\\d.]+,cancelled,`),
      );

      // On a phone nothing is cut: each cell is a line with the name of its column.
      const wide = page.viewportSize()!;
      await page.setViewportSize({ width: 390, height: 844 });
      await soon(() =>
        page
          .locator('.table')
          .evaluateAll((tables) => tables.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)),
      ).toEqual([0, 0]);
      const amount = page.getByTestId('amount').first();
      await amount.scrollIntoViewIfNeeded();
      expect(
        await amount.evaluate((cell) => [
          cell.dataset['column'],
          getComputedStyle(cell, '::before').content,
          cell.getBoundingClientRect().right <= innerWidth,
        ]),
      ).toEqual(['Amount', '"Amount"', true]);
      await photograph(page, 'sale-orders-phone');
      await page.setViewportSize(wide);

      await goTo(page, `#/sales/${saleId}`);
      await soon(() => page.getByTestId('adds-up').getAttribute('data-balanced')).toBe('true');
      await soon(() =>
        number(page, 'units-tee-left').then(async (left) => left + (await number(page, 'units-mug-left'))),
      ).toBe(105 - orders.reduce((sum, order) => sum + (order === cancelled ? 0 : order.quantity), 0));
      await goTo(page, '#/actions');
      await soon(() => page.locator('[data-testid=action][data-verb=cancel]').textContent()).toContain(
        'the customer called',
      );
      expect(await page.locator('[data-testid=action][data-verb=create-sale]').count()).toBe(1);
      expect(await page.locator('[data-testid=action][data-verb=cancel] a').getAttribute('href')).toBe(
        `#/sales/${saleId}`,
      );
      expect(faults).toEqual([]);
    },
  );
});
