import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { picture, shows, text } from './player.ts';
import { openScriptedPage, snapshotOf, type ScriptedPage } from './scriptedPage.ts';
import { createThemeReader } from '../../src/console/player/theme.ts';
import { setGreeting, setTheme, setThemeFile } from '../../src/operator/themes.ts';
import { newRain } from '../ledger/claims.ts';
import { openTestContext } from '../support/operatorContext.ts';
import { pngOf } from '../support/png.ts';
import { GALA, serveThemes } from './themes.ts';

const WIN = { redPacketId: 'p-own', amount: '12.21' };
const LUCKIEST = [
  { user: 'm•••a', amount: '88.88', redPacketId: 'p-other' },
  { user: 'g•••1', amount: '12.21', redPacketId: WIN.redPacketId },
];
const variable = (page: Page, name: string) =>
  page.evaluate((property) => document.documentElement.style.getPropertyValue(property), name);

async function win({ page, answer }: ScriptedPage): Promise<void> {
  await shows(page, 'open');
  answer('0', WIN);
  await page.getByTestId('grab').click();
  await shows(page, 'won');
}

describe.skipIf(WITHOUT_CHROMIUM)("themes and greetings on the player's page", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test('the page has the colours and pictures of its rain, and shows the greeting with the win', async () => {
    let asked: string[] = [];
    const scripted = await openScriptedPage(browser, {
      rain: snapshotOf('gala-rain'),
      prepare: async (page) => {
        ({ asked } = await serveThemes(page, GALA));
      },
    });
    const { page } = scripted;
    await page.locator('.bar .logo').waitFor();
    await page.locator('html[data-packet-picture]').waitFor();
    await eventually(async () =>
      (await variable(page, '--theme-background-image')).includes('/api/theme/files/background.png'),
    );
    expect(
      await page.evaluate(() =>
        ['.phone', '.title', '.grab'].map((selector) => {
          const { backgroundImage, color } = getComputedStyle(document.querySelector(selector)!);
          return selector === '.title' ? color : backgroundImage;
        }),
      ),
    ).toEqual([
      expect.stringContaining('background.png'),
      'rgb(255, 209, 102)',
      expect.stringContaining('rgb(255, 209, 102)'),
    ]);
    expect(await page.locator('meta[name=theme-color]').getAttribute('content')).toBe('#10264d');
    expect(asked).toEqual(['?rain=gala-rain']);
    expect(await findBarriers(page), 'while it rains').toEqual([]);
    await win(scripted);
    expect(await text(page, 'greeting')).toBe('From The board: Happy new year');
    expect(await findBarriers(page), 'with a win').toEqual([]);
  });

  test('what an operator has set is what the page shows', async () => {
    const context = await openTestContext();
    onTestFinished(() => context.stop());
    await context.ledger.createRain(newRain('real', 100n), 'ann');
    await setTheme(context, { id: 'gala', title: 'Gala', colours: GALA.theme.colours });
    for (const kind of ['logo', 'packet', 'background'] as const)
      await setThemeFile(context, 'gala', kind, pngOf(60, 80, [31, 111, 139]));
    await setGreeting(context, 'real', {
      sender: 'Ann Li',
      blessing: 'Thank you all',
      prizes: [
        { from: '1000.00', blessing: 'Grand prize' },
        { from: '0.02', blessing: 'Well done' },
      ],
      theme: 'gala',
    });
    const scripted = await openScriptedPage(browser, {
      rain: snapshotOf('real'),
      themes: createThemeReader(context.ledger),
    });
    await scripted.page.locator('html[data-packet-picture] .bar .logo').waitFor();
    await eventually(async () => (await variable(scripted.page, '--theme-background-image')).endsWith('.webp")'));
    await win(scripted);
    await scripted.page.getByTestId('greeting').filter({ hasText: 'From Ann Li: Well done' }).waitFor();
  });

  test('a picture that fails changes nothing, and a tap waits for none', async () => {
    const plain = await openScriptedPage(browser, { rain: snapshotOf('plain') });
    await shows(plain.page, 'open');
    await eventually(async () => (await picture(plain.page)).length > 10_000);
    const scripted = await openScriptedPage(browser, {
      rain: snapshotOf('broken'),
      prepare: (page) => serveThemes(page, { theme: { ...GALA.theme, colours: {} } }, true),
    });
    const { page } = scripted;
    await win(scripted);
    await eventually(
      async () =>
        (await page.evaluate(
          () =>
            performance.getEntriesByType('resource').filter(({ name }) => name.includes('/api/theme/files/')).length,
        )) === 3,
    );
    expect(await page.locator('.logo').count()).toBe(0);
    expect(await page.locator('html[data-packet-picture]').count()).toBe(0);
    expect(await variable(page, '--theme-background-image')).toBe('');
    const colours = (other: Page) =>
      other.evaluate(() => [
        getComputedStyle(document.body).backgroundColor,
        getComputedStyle(document.querySelector('.phone')!).backgroundImage,
        getComputedStyle(document.querySelector('.title')!).color,
      ]);
    expect(await colours(page)).toEqual(await colours(plain.page));
  });

  test('the falling packets have the picture of the theme, and their own look again in a rain without one', async () => {
    let shown: Parameters<typeof serveThemes>[1] = {};
    const { page, tell } = await openScriptedPage(browser, {
      rain: snapshotOf('first'),
      prepare: (opened) => serveThemes(opened, () => shown as object),
    });
    await shows(page, 'open');
    const reds = (other: Page) =>
      other.getByTestId('sky').evaluate(
        (sky) =>
          new Promise<number>((resolve) => {
            requestAnimationFrame(() => {
              const canvas = sky.querySelector('canvas')!;
              const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
              let count = 0;
              for (let i = 0; i < data.length; i += 4)
                if (data[i]! > 190 && data[i + 1]! < 80 && data[i + 2]! < 80 && data[i + 3]! > 250) count++;
              resolve(count);
            });
          }),
      );
    await eventually(async () => (await reds(page)) > 500);
    shown = GALA;
    tell(snapshotOf('first', { state: 'closed' }));
    tell(snapshotOf('second'));
    await page.getByTestId('ahead').click();
    await page.locator('html[data-packet-picture]').waitFor();
    await shows(page, 'open');
    const themed = await reds(page);
    shown = {};
    tell(snapshotOf('second', { state: 'closed' }));
    tell(snapshotOf('third'));
    await page.getByTestId('ahead').click();
    await page.locator('html:not([data-packet-picture])').waitFor();
    await shows(page, 'open');
    await eventually(async () => (await reds(page)) > 2 * themed);
    expect(await page.locator('.logo').count()).toBe(0);
  });

  test('the player\'s own win among the luckiest is called "You"', async () => {
    const scripted = await openScriptedPage(browser, {
      rain: snapshotOf('lucky'),
      book: { leaderboard: async (rainId) => ({ rainId, luckiest: LUCKIEST, final: true }) },
    });
    await win(scripted);
    scripted.tell(snapshotOf('lucky', { left: 0 }));
    await scripted.page.getByTestId('luckiest').waitFor();
    expect(await text(scripted.page, 'luckiest')).toBe('Luckiestm•••a¥88.88You¥12.21');
  });

  test('a miss says how many packets there were and how fast they were gone', async () => {
    const { page, tell, answer } = await openScriptedPage(browser, { rain: snapshotOf('fast', { left: 9 }) });
    await shows(page, 'open');
    answer('-1');
    await page.getByTestId('grab').click();
    await shows(page, 'missed');
    expect(await text(page, 'detail')).toMatch(
      /^The last packet was gone before your tap arrived\. All 20 packets have been won\. /,
    );
    tell(snapshotOf('fast', { left: 0, opensAt: Date.now() - 4_500 }));
    await page
      .getByTestId('detail')
      .filter({
        hasText: /All 20 packets were gone within [456] seconds\. When the next rain is announced, it appears here\.$/,
      })
      .waitFor();
  });
});
