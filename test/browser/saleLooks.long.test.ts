import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createEntryTokens } from '../../src/console/entryTokens.ts';
import { createGuestTokens } from '../../src/console/guests.ts';
import { startConsole } from '../../src/console/server.ts';
import type { SaleSnapshot } from '../../src/protocol/saleMessages.ts';
import { createTokenReader } from '../../src/platform/auth/tokenReader.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { SECRET } from '../support/client.ts';
import { scriptedSale } from '../support/servers/scriptedSale.ts';
import { endAnimations, findBarriers } from './axe.ts';
import { PLAYER_PAGE } from './built-page.ts';
import { buy, itemOf, itemShows, orderShows, saleShows } from './buyer.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { overflowing, shows, text } from './player.ts';
import { openScriptedPage, snapshotOf } from './scriptedPage.ts';
import { EMPTY_BOOK, NO_THEMES, PHONE } from './stage.ts';
import { closePage, openPage } from './windows.ts';

/** axe checks the last window only. */
const VIEWPORTS = {
  desktop: { width: 1280, height: 800 },
  'phone-on-its-side': { width: PHONE.height, height: PHONE.width },
  'small-phone': { width: 320, height: 568 },
  phone: PHONE,
};
const LANGUAGES = {
  'zh-CN': {
    title: '新春限时秒杀',
    tee: '新春限定纪念 T 恤 · 醒狮款（男女同款）',
    mug: '龙年马克杯',
    seat: '春晚观众席门票',
    free: '免费',
    orders: '我的订单',
    rainIsOn: '红包雨开始了',
  },
  'en-US': {
    title: 'New Year flash sale',
    tee: 'Lion dance T-shirt, limited edition, unisex fit',
    mug: 'Dragon mug',
    seat: 'Seat at the New Year gala',
    free: 'Free',
    orders: 'My orders',
    rainIsOn: 'It is raining',
  },
} as const;
/** Folder for screenshots, for people to inspect. */
const PICTURES = process.env['SCREENSHOTS'];
if (PICTURES) mkdirSync(PICTURES, { recursive: true });
const UNITS = [
  { sku: 'tee', units: 200, price: '19.90' },
  { sku: 'mug', units: 3, price: '9.90' },
  { sku: 'seat', units: 40, price: '0.00' },
];

/** Elements of the screen that leave the window, and texts that are cut. */
function overflowingIn(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.querySelector('.sale')!;
    const wide =
      document.documentElement.scrollWidth > innerWidth + 1
        ? [`the page is ${document.documentElement.scrollWidth} wide`]
        : [];
    return [
      ...wide,
      ...[...root.querySelectorAll<HTMLElement>('*:not(svg *, .sale-lantern, .spoken)')].flatMap((part) => {
        const { left, right, width } = part.getBoundingClientRect();
        const out = width > 0 && (left < -1 || right > innerWidth + 1);
        const cut =
          part.matches('button, a, p, .sale-badge') &&
          part.scrollWidth > part.clientWidth + 1 &&
          getComputedStyle(part).display !== 'inline';
        return out || cut ? [`${part.className}: ${out ? 'leaves the window' : 'is cut'}`] : [];
      }),
    ];
  });
}

/** Whether the list of sales lies over the text above it. */
function isCovered(page: Page): Promise<boolean> {
  return page.evaluate(() => {
    const [detail, sales] = ['.detail', '.sales'].map((name) =>
      document.querySelector(name)!.getBoundingClientRect(),
    ) as [DOMRect, DOMRect];
    return detail.height > 0 && sales.height > 0 && detail.bottom > sales.top;
  });
}

describe.skipIf(WITHOUT_CHROMIUM)('what a buyer sees', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test.each(['zh-CN', 'en-US'] as const)(
    'in %s: before the opening, buying, line, payment, orders, misses, sold out, paused, the end, and no such sale',
    async (locale) => {
      const words = LANGUAGES[locale];
      const opensAt = Date.now() + 90_000;
      const sale = await scriptedSale({
        items: UNITS,
        perUserMax: 6,
        opensAt,
        closesAt: opensAt + 600_000,
        holdMs: 300_000,
        writesOrders: false,
        onBuy: ({ sku }) => (sku === 'seat' ? { code: '-1' } : undefined),
      });
      const testConsole = await startConsole({
        host: '127.0.0.1',
        port: 0,
        gatewayUrl: sale.url,
        pageFolder: PLAYER_PAGE,
        log: createLog('console', 'silent'),
        entry: {
          guests: createGuestTokens({ secret: SECRET }),
          tokens: createEntryTokens({ secret: SECRET }),
          screens: true,
        },
        player: { readToken: createTokenReader({ secret: SECRET }, Date.now), allowedOrigins: [], ...EMPTY_BOOK },
        theme: NO_THEMES,
      });
      onTestFinished(() => testConsole.close());
      const page = await openPage(browser, { locale, viewport: PHONE, hasTouch: true, reducedMotion: 'reduce' });
      onTestFinished(() => closePage(page));
      await page.route('**/api/config', async (route) =>
        route.fulfill({ json: { ...((await (await route.fetch()).json()) as object), pay: { demo: true } } }),
      );

      const snapshot = (
        change: Partial<SaleSnapshot> = {},
        left: Record<string, number> = {},
        backAt?: number,
      ): SaleSnapshot => ({
        type: 'sale',
        saleId: 'autumn',
        title: words.title,
        state: 'loaded',
        opensAt,
        closesAt: opensAt + 600_000,
        holdMs: 300_000,
        perUserMax: 6,
        serverTime: Date.now(),
        items: [
          {
            sku: 'tee',
            name: words.tee,
            price: '19.90',
            listPrice: '39.00',
            units: 200,
            left: left['tee'] ?? 200,
            perOrderMax: 3,
            perUserMax: 3,
            picture: '/favicon.svg',
          },
          {
            sku: 'mug',
            name: words.mug,
            price: '9.90',
            listPrice: '15.00',
            units: 3,
            left: left['mug'] ?? 3,
            ...(backAt !== undefined && { backAt }),
          },
          {
            sku: 'seat',
            name: words.seat,
            price: '0.00',
            units: 40,
            left: left['seat'] ?? 31,
            perOrderMax: 1,
            perUserMax: 1,
          },
        ],
        ...change,
      });
      const opened = (left?: Record<string, number>, backAt?: number, change: Partial<SaleSnapshot> = {}) =>
        sale.broadcast(
          snapshot(
            { state: 'open', opensAt: Date.now() - 5_000, closesAt: Date.now() + 300_000, ...change },
            left,
            backAt,
          ),
        );
      let shown = 0;
      async function look(state: string): Promise<void> {
        await endAnimations(page);
        shown++;
        for (const [device, viewport] of Object.entries(VIEWPORTS)) {
          await page.setViewportSize(viewport);
          expect(await overflowingIn(page), `${state} on a ${device}`).toEqual([]);
          if (PICTURES)
            await page.screenshot({
              path: join(PICTURES, `sale-${shown}-${state}-${device}-${locale}.png`),
              fullPage: device === 'phone',
            });
        }
        expect(await findBarriers(page), state).toEqual([]);
      }

      await page.goto(`${testConsole.url}/?sale=autumn`);
      await saleShows(page, 'loaded');
      const userId = await page.evaluate(
        () =>
          JSON.parse(
            atob(sessionStorage.getItem('rain.guest')!.split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/')),
          ).sub as string,
      );
      sale.broadcast(snapshot({ rehearsal: true }));
      await page.getByTestId('sale-rehearsal').waitFor();
      await look('countdown');

      opened();
      await itemShows(page, 'tee', 'buy');
      await itemOf(page, 'tee').getByTestId('more').click();
      await look('open');
      expect(await itemOf(page, 'seat').getByTestId('price').textContent()).toBe(words.free);
      const order = (
        id: number,
        sku: string,
        quantity: number,
        status: 'reserved' | 'created' | 'paid' | 'cancelled' | 'timed_out' | 'failed' | 'refunded',
        price = '19.90',
        place?: number,
      ) =>
        sale.order(userId, '1', {
          reservationId: `autumn-${id}`,
          sku,
          quantity,
          price,
          status,
          payBy: Date.now() + 271_000,
          ...(place !== undefined && { place }),
        });
      order(101, 'tee', 2, 'reserved', '19.90', 1_284);
      order(102, 'mug', 1, 'created', '9.90');
      await orderShows(page, 'created');
      expect(await page.getByTestId('orders').locator('h2').textContent()).toBe(words.orders);
      await look('line-and-pay');
      order(101, 'tee', 2, 'paid');
      order(102, 'mug', 1, 'cancelled', '9.90');
      order(103, 'seat', 1, 'refunded', '0.00');
      order(104, 'tee', 1, 'timed_out');
      order(105, 'mug', 2, 'failed', '9.90');
      await page.getByTestId('more-orders').click();
      await orderShows(page, 'paid');
      await look('orders');

      await page.reload();
      await saleShows(page, 'loaded');
      const backAt = Date.now() + 42_000;
      opened({ mug: 0 }, backAt);
      await itemShows(page, 'mug', 'gone');
      await itemOf(page, 'mug').getByTestId('bell').click();
      await buy(page, 'seat');
      await itemShows(page, 'seat', 'sold_out');
      await look('all-reserved-and-sold-out');
      opened({ mug: 1 });
      await page.getByTestId('rang').waitFor();
      expect(await text(page, 'rang')).toContain(words.mug);
      await look('back');
      await buy(page, 'mug');
      await itemShows(page, 'mug', 'buy');
      sale.broadcast(snapshot({ state: 'paused', opensAt: Date.now() - 5_000 }));
      await saleShows(page, 'paused');
      await look('paused');
      opened({}, undefined, { closesAt: Date.now() - 1_000, state: 'closed' });
      await saleShows(page, 'closed');
      await look('over');
      await page.goto(`${testConsole.url}/?sale=winter`);
      await saleShows(page, 'refused');
      await look('unknown');
    },
    240_000,
  );

  test.each(['zh-CN', 'en-US'] as const)(
    'in %s: sales are listed beside a rain that is awaited, and beside none; while packets fall they are not',
    async (locale) => {
      const { title, rainIsOn } = LANGUAGES[locale];
      const rain = snapshotOf('spring', { title: 'Spring', state: 'loaded', opensAt: Date.now() + 95_000 });
      const { page, say, tell, said, answer } = await openScriptedPage(browser, { rain, window: { locale } });
      await shows(page, 'scheduled');
      const announced = (saleId: string, opensAt: number, change: Partial<SaleSnapshot> = {}) =>
        say({
          type: 'sale',
          saleId,
          title,
          state: 'loaded',
          opensAt,
          closesAt: opensAt + 600_000,
          holdMs: 60_000,
          items: [{ sku: 'tee', price: '19.90', units: 10, left: 10 }],
          serverTime: Date.now(),
          ...change,
        });
      const links = page.getByTestId('sale-link');
      for (const [saleId, inMs] of [
        ['later', 3_600_000],
        ['soon', 60_000],
        ['latest', 7_200_000],
      ] as const)
        announced(saleId, Date.now() + inMs);
      await links.nth(1).waitFor();
      expect(await links.evaluateAll((all) => all.map((link) => (link as HTMLElement).dataset['sale']))).toEqual([
        'soon',
        'later',
      ]);
      const look = async (state: string) => {
        await endAnimations(page);
        for (const [device, viewport] of Object.entries(VIEWPORTS)) {
          await page.setViewportSize(viewport);
          expect(await overflowing(page), `${state} on a ${device}`).toEqual([]);
          expect(await isCovered(page), `what is said of the rain is covered: ${state} on a ${device}`).toBe(false);
          if (PICTURES) await page.screenshot({ path: join(PICTURES, `beside-${state}-${device}-${locale}.png`) });
        }
        expect(await findBarriers(page), state).toEqual([]);
      };
      await look('awaited');
      // On the screen of a sale nothing grabs, and the rain is not missed.
      await links.first().click();
      await page.getByTestId('sale').waitFor();
      expect(await page.getByTestId('sale-rain').isVisible()).toBe(false);
      tell(snapshotOf('spring', { title: 'Spring' }));
      await page.getByTestId('sale-rain').waitFor();
      expect(await text(page, 'sale-rain')).toBe(rainIsOn);
      await page.getByTestId('sale-title').click();
      await page.keyboard.press('Enter');
      expect(said('grab')).toEqual([]);
      await page.getByTestId('sale-rain').click();
      await shows(page, 'open');
      expect(await page.getByTestId('sales').isVisible()).toBe(false);
      answer('-1');
      await page.keyboard.press('Enter');
      await shows(page, 'missed');
      expect(said('grab')).toHaveLength(1);
      await page.getByTestId('sales').waitFor();
      announced('soon', Date.now() - 1_000, { state: 'closed' });
      await page.locator('[data-sale=latest]').waitFor();
      await look('over');
    },
    120_000,
  );
});
