import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { endAnimations, findBarriers } from './axe.ts';
import { overflowing, shows, text } from './player.ts';
import { openScriptedPage, snapshotOf, type ScriptedPage } from './scriptedPage.ts';
import { PHONE } from './stage.ts';

/** axe checks the last window only. */
const VIEWPORTS = {
  desktop: { width: 1280, height: 800 },
  'phone-on-its-side': { width: PHONE.height, height: PHONE.width },
  phone: PHONE,
};
const LANGUAGES = {
  'zh-CN': { lang: 'zh-CN', title: '新春红包雨', grab: '抢', won: '恭喜抢到红包', rehearsal: '彩排：非真实金额' },
  'en-US': {
    lang: 'en',
    title: 'Spring Festival rain',
    grab: 'Grab',
    won: 'You got a red packet',
    rehearsal: 'Rehearsal: no real money',
  },
} as const;
const LUCKIEST = [
  { user: 'm***a', amount: '88.88' },
  { user: 'guest-p***', amount: '66.06' },
  { user: 'l***i', amount: '52.00' },
];
const OWN = [
  ['8.88', 'pending'],
  ['12.21', 'credited'],
  ['3.00', 'credited'],
  ['0.66', 'held'],
] as const;
const BOOK = {
  leaderboard: async (rainId: string) => ({
    rainId,
    luckiest: LUCKIEST.map((place, i) => ({ ...place, redPacketId: `${rainId}-${i}` })),
    final: true,
  }),
  openWalletStatement: async (userId: string) => ({
    userId,
    wallet: '15.21',
    pending: '8.88',
    settled: true,
    packets: OWN.map(([amount, status], i) => ({
      rainId: `rain-${i}`,
      title: `红包雨 · ${i + 1}`,
      redPacketId: `p-${i}`,
      amount,
      status,
      at: new Date(Date.UTC(2026, 1, 17, 12, 30 - i)).toISOString(),
    })),
  }),
};
/** Folder for screenshots, for people to inspect. */
const PICTURES = process.env['SCREENSHOTS'];
if (PICTURES) mkdirSync(PICTURES, { recursive: true });

describe.skipIf(WITHOUT_CHROMIUM)('what a player sees', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** Nothing may overflow a screen of any size, and the page must be accessible. */
  async function look(page: Page, face: string): Promise<void> {
    await endAnimations(page);
    const language = await page.locator('html').getAttribute('lang');
    for (const [device, viewport] of Object.entries(VIEWPORTS)) {
      await page.setViewportSize(viewport);
      expect(await overflowing(page), `${face} on a ${device}`).toEqual([]);
      if (PICTURES) await page.screenshot({ path: join(PICTURES, `${face}-${device}-${language}.png`) });
    }
    expect(await findBarriers(page), face).toEqual([]);
  }

  /** From the lobby to a win and the wallet. */
  async function walk(
    { page, tell, answer, shut, reopen }: ScriptedPage,
    words: (typeof LANGUAGES)[keyof typeof LANGUAGES],
  ): Promise<void> {
    const rain = (change: Parameters<typeof snapshotOf>[1]) => snapshotOf('spring', { title: words.title, ...change });
    await shows(page, 'scheduled');
    expect(await text(page, 'title')).toBe(words.title);
    expect(await text(page, 'big')).toMatch(/^1:\d\d$/);
    expect(await text(page, 'user')).toMatch(/guest-/);
    expect(await page.getByTestId('grab').isDisabled()).toBe(true);
    expect(await page.getByTestId('rehearsal').isVisible(), 'a real rain wears no banner').toBe(false);
    await look(page, 'lobby');
    tell(rain({ state: 'loaded', opensAt: Date.now() + 8_500, rehearsal: true }));
    await page.locator('[data-testid=phone][data-final]').waitFor();
    expect(await text(page, 'rehearsal')).toBe(words.rehearsal);
    expect(await page.getByTestId('rehearsal').isVisible()).toBe(true);
    await look(page, 'rehearsal');

    tell(rain({}));
    await shows(page, 'open');
    expect(await text(page, 'grab')).toBe(words.grab);
    expect(await page.getByTestId('left').isVisible()).toBe(true);
    await look(page, 'rain');
    shut();
    await page.locator('[data-testid=phone][data-link=lost]').waitFor();
    await look(page, 'reconnecting');
    reopen();
    await page.locator('[data-testid=phone][data-link=up]').waitFor();
    await page.getByTestId('grab').click();
    await shows(page, 'asking');
    await look(page, 'asking');
    answer('0', { redPacketId: 'p', amount: '12.21' });
    await shows(page, 'won');
    expect([await text(page, 'headline'), await text(page, 'big')]).toEqual([words.won, '¥12.21']);
    await look(page, 'win');
    await page.getByTestId('wallet-button').click();
    await page
      .getByTestId('wallet-list')
      .locator('li')
      .nth(OWN.length - 1)
      .waitFor();
    expect(await text(page, 'wallet-sum')).toBe('¥15.21');
    await look(page, 'wallet');
  }

  /** A missed packet, and a finished rain with the luckiest users and the next rain. */
  async function miss({ page, address, tell, answer }: ScriptedPage, title: string): Promise<void> {
    tell(snapshotOf('autumn', { title }));
    await page.goto(`${address}/?rain=autumn`);
    await shows(page, 'open');
    answer('-1');
    await page.getByTestId('grab').click();
    await shows(page, 'missed');
    expect(await text(page, 'big')).toBe('');
    expect(await text(page, 'spoken')).toContain(await text(page, 'headline'));
    tell(snapshotOf('autumn', { title, left: 0 }));
    await page.getByTestId('luckiest').locator('li').nth(2).waitFor();
    await look(page, 'miss');
    tell(snapshotOf('winter', { title, state: 'closed' }));
    await page.goto(`${address}/?rain=winter`);
    await shows(page, 'too_late');
    tell(snapshotOf('following', { title, state: 'loaded', opensAt: Date.now() + 300_000 }));
    await page.getByTestId('luckiest').locator('li').nth(2).waitFor();
    await page.getByTestId('ahead').waitFor();
    await look(page, 'late');
  }

  // To run one language only: -t 'in zh-CN'.
  test.each(['zh-CN', 'en-US'] as const)(
    'in %s: lobby, rehearsal, rain, lost connection, tap, win, wallet, miss and the end, on a phone, on its side, and on a desktop',
    async (locale) => {
      const words = LANGUAGES[locale];
      const rain = snapshotOf('spring', { title: words.title, state: 'loaded', opensAt: Date.now() + 95_000 });
      const scripted = await openScriptedPage(browser, { rain, book: BOOK, window: { locale } });
      expect(await scripted.page.locator('html').getAttribute('lang')).toBe(words.lang);
      await walk(scripted, words);
      await miss(scripted, words.title);
    },
    120_000,
  );
});
