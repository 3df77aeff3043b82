import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endAnimations, findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { overflowing, shows, text } from './player.ts';
import { openScriptedPage, snapshotOf } from './scriptedPage.ts';
import { GALA, serveThemes } from './themes.ts';

/** axe checks the last window only. */
const VIEWPORTS = {
  desktop: { width: 1_280, height: 800 },
  'on-its-side': { width: 844, height: 390 },
  phone: { width: 390, height: 844 },
  small: { width: 320, height: 568 },
};
const PICTURES = process.env['RAIN_SCREENSHOTS'] ?? process.env['SCREENSHOTS'];
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

const WIN = { redPacketId: 'p-own', amount: '1288.88' };
const LUCKIEST = [
  { user: 'm•••a', amount: '8888.88', redPacketId: 'p-1' },
  { user: 'g•••1', amount: WIN.amount, redPacketId: WIN.redPacketId },
  { user: 'l•••i', amount: '52.00', redPacketId: 'p-3' },
];
const BOOK = { leaderboard: async (rainId: string) => ({ rainId, luckiest: LUCKIEST, final: true }) };
const TITLES = { 'en-US': 'The annual party of the company and its friends', 'zh-CN': '公司年会新春红包雨' };
const GREETINGS = {
  'en-US': { sender: 'The board', blessing: 'Happy new year, and thank you for everything that you did together' },
  'zh-CN': { sender: '董事会', blessing: '祝大家新年快乐，万事如意，感谢一年来的辛勤付出' },
};

describe.skipIf(WITHOUT_CHROMIUM)('what a player sees of a theme, a greeting and what is beside the rain', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  async function look(page: Page, face: string): Promise<void> {
    await endAnimations(page);
    for (const [device, viewport] of Object.entries(VIEWPORTS)) {
      await page.setViewportSize(viewport);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `${face}-${device}.png`) });
      expect.soft(await overflowing(page), `${face}, ${device}`).toEqual([]);
    }
    expect.soft(await findBarriers(page), face).toEqual([]);
  }

  test.each([
    ['en-US', 'gala', 'reduce'],
    ['zh-CN', 'gala', 'no-preference'],
    ['en-US', 'plain', 'no-preference'],
    ['zh-CN', 'plain', 'reduce'],
  ] as const)(
    'in %s, %s, motion: %s',
    async (locale, look_, reducedMotion) => {
      const name = (face: string) => `${face}-${look_}-${locale}`;
      const title = TITLES[locale];
      const rain = (change: Parameters<typeof snapshotOf>[1]) => snapshotOf('evening', { title, ...change });
      const shown = { ...(look_ === 'gala' && { theme: GALA.theme }), ...GREETINGS[locale] };
      const { page, tell, answer, address } = await openScriptedPage(browser, {
        rain: rain({ state: 'loaded', opensAt: Date.now() + 90_000_000 }),
        book: BOOK,
        window: { locale, reducedMotion },
        prepare: async (opened) => {
          await serveThemes(opened, shown);
          await opened.addInitScript(() => {
            Object.assign(globalThis, {
              Notification: class {
                static permission = 'default';
                static requestPermission() {
                  return Promise.resolve('granted');
                }
              },
            });
          });
        },
      });
      await shows(page, 'scheduled');
      if (look_ === 'gala') await page.locator('html[data-packet-picture] .logo').waitFor();
      await look(page, name('lobby'));
      await page.getByTestId('remind').click();
      await page.locator('.remind[data-on]').waitFor();
      await look(page, name('lobby-told'));
      tell(rain({}));
      await shows(page, 'open');
      await look(page, name('rain'));
      await page.getByTestId('grab').click();
      await shows(page, 'asking');
      await look(page, name('asking'));
      answer('0', WIN);
      await shows(page, 'won');
      expect(await text(page, 'greeting')).toContain(GREETINGS[locale].sender);
      await look(page, name('win'));
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('share').click()]);
      if (PICTURES)
        writeFileSync(join(PICTURES, `${name('card')}.png`), await buffer(await download.createReadStream()));
      tell(rain({ left: 0 }));
      await page.getByTestId('luckiest').locator('[data-own]').waitFor();
      await look(page, name('win-luckiest'));
      tell(snapshotOf('next', { title, state: 'loaded', opensAt: Date.now() + 400_000 }));
      await page.getByTestId('ahead').waitFor();
      await look(page, name('win-ahead'));
      tell(snapshotOf('late', { title, packets: 2_000, left: 12 }));
      await page.goto(`${address}/?rain=late`);
      await shows(page, 'open');
      answer('-1');
      await page.getByTestId('grab').click();
      await shows(page, 'missed');
      tell(snapshotOf('late', { title, packets: 2_000, left: 0 }));
      await page.getByTestId('luckiest').waitFor();
      await look(page, name('missed'));
      await page.reload();
      await shows(page, 'gone');
      await page.getByTestId('luckiest').waitFor();
      await look(page, name('gone'));
    },
    180_000,
  );
});
