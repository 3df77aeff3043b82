import { buffer } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { shows, text } from './player.ts';
import { openScriptedPage, snapshotOf, USER, type ScriptedPage } from './scriptedPage.ts';
import { GALA, serveThemes } from './themes.ts';

const WIN = { redPacketId: 'p-own', amount: '12.21' };
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

async function win({ page, answer }: ScriptedPage): Promise<void> {
  await shows(page, 'open');
  answer('0', WIN);
  await page.getByTestId('grab').click();
  await shows(page, 'won');
}

/** The device's own menu for sharing. `how`: what becomes of it; absent: the player shares. */
const withMenu = (page: Page, how?: 'AbortError' | 'NotAllowedError') =>
  page.addInitScript((error) => {
    const given: unknown[] = [];
    Object.assign(globalThis, { given });
    Object.assign(navigator, {
      canShare: ({ files }: ShareData) => files?.length === 1,
      share: async ({ files, ...rest }: ShareData) => {
        given.push({ name: files![0]!.name, type: files![0]!.type, size: files![0]!.size, rest });
        if (error) throw new DOMException('', error);
      },
    });
  }, how);
const given = (page: Page) => page.evaluate(() => (globalThis as unknown as { given: unknown[] }).given);

/** Notifications are recorded, and the page can be sent to the background. */
const withNotifications = (page: Page, asked: NotificationPermission = 'granted') =>
  page.addInitScript((answer) => {
    const told: unknown[] = [];
    class Recorded {
      static permission: NotificationPermission = 'default';
      static async requestPermission() {
        return (Recorded.permission = answer);
      }
      constructor(title: string, { body }: NotificationOptions) {
        told.push([title, body]);
      }
    }
    let away = false;
    Object.assign(globalThis, {
      told,
      Notification: Recorded,
      leave: (on: boolean) => {
        away = on;
      },
    });
    Object.defineProperty(document, 'hidden', { get: () => away });
  }, asked);
const told = (page: Page) => page.evaluate(() => (globalThis as unknown as { told: [string, string][] }).told);
const leave = (page: Page, on = true) =>
  page.evaluate((away) => (globalThis as unknown as { leave(on: boolean): void }).leave(away), on);
const ahead = (seconds: number) =>
  snapshotOf('evening', { title: 'Evening rain', state: 'loaded', opensAt: Date.now() + seconds * 1_000 });

describe.skipIf(WITHOUT_CHROMIUM)('what a player may do beside the rain', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test("a win is shared as a picture through the device's menu, and saved where there is none", async () => {
    const shared = await openScriptedPage(browser, { rain: snapshotOf('shared'), prepare: (page) => withMenu(page) });
    expect(await shared.page.getByTestId('share').isVisible()).toBe(false);
    await win(shared);
    await shared.page.getByTestId('share').click();
    await eventually(async () => (await given(shared.page)).length === 1);
    expect(await given(shared.page)).toEqual([
      { name: 'red-packet.png', type: 'image/png', size: expect.any(Number), rest: {} },
    ]);

    const saved = await openScriptedPage(browser, {
      rain: snapshotOf('saved'),
      prepare: (page) => serveThemes(page, GALA),
    });
    await saved.page.locator('html[data-packet-picture]').waitFor();
    await win(saved);
    const [download] = await Promise.all([
      saved.page.waitForEvent('download'),
      saved.page.getByTestId('share').click(),
    ]);
    expect(download.suggestedFilename()).toBe('red-packet.png');
    const picture = await buffer(await download.createReadStream());
    expect([picture.subarray(0, 4), picture.readUInt32BE(16), picture.readUInt32BE(20)]).toEqual([PNG, 1_080, 1_440]);
    expect(picture.includes(USER)).toBe(false);
  });

  test('a menu that is closed shares nothing, and one that the browser forbids is replaced by a saved picture', async () => {
    for (const how of ['AbortError', 'NotAllowedError'] as const) {
      const scripted = await openScriptedPage(browser, {
        rain: snapshotOf('menu'),
        prepare: (page) => withMenu(page, how),
      });
      const saved: string[] = [];
      scripted.page.on('download', (download) => saved.push(download.suggestedFilename()));
      await win(scripted);
      await scripted.page.getByTestId('share').click();
      await eventually(async () => (await given(scripted.page)).length === 1);
      if (how === 'NotAllowedError') await eventually(() => saved.length === 1);
      else expect(saved).toEqual([]);
    }
  });

  test('the language is changed on the page, which stays in its rain, and is remembered', async () => {
    const { page, said, address } = await openScriptedPage(browser, { rain: ahead(600) });
    await shows(page, 'scheduled');
    expect([await text(page, 'language'), await page.getByTestId('language').getAttribute('lang')]).toEqual([
      '中文',
      'zh-CN',
    ]);
    await page.getByTestId('language').click();
    await page.getByTestId('headline').filter({ hasText: '距离红包雨开始' }).waitFor();
    expect([
      await page.locator('html').getAttribute('lang'),
      await text(page, 'language'),
      new URL(page.url()).search,
    ]).toEqual(['zh-CN', 'English', '?rain=evening']);
    await page.goto(`${address}/?rain=evening`);
    await page.getByTestId('headline').filter({ hasText: '距离红包雨开始' }).waitFor();
    expect(said('join').map(({ rainId }) => rainId)).toEqual(['evening', 'evening', 'evening']);
    await page.getByTestId('language').click();
    await page.getByTestId('headline').filter({ hasText: 'The rain starts in' }).waitFor();
  });

  test('no tap of a rain can change the language', async () => {
    const { page } = await openScriptedPage(browser, { rain: snapshotOf('taps') });
    await shows(page, 'open');
    expect(await page.getByTestId('language').isVisible()).toBe(false);
  });

  test('a page in the background tells of the start a minute before, once, also when the start was moved', async () => {
    const { page, tell } = await openScriptedPage(browser, {
      rain: ahead(600),
      prepare: (opened) => withNotifications(opened),
    });
    await shows(page, 'scheduled');
    await page.getByTestId('remind').click();
    await page.getByTestId('remind').filter({ hasText: 'On, while this page is open' }).waitFor();
    await page.reload();
    await page.getByTestId('remind').filter({ hasText: 'On, while this page is open' }).waitFor();
    await page.evaluate(() => {
      Object.assign(Notification, { permission: 'granted' });
    });
    await leave(page);
    tell(ahead(61));
    await eventually(async () => (await told(page)).length === 1);
    expect(await told(page)).toEqual([
      ['Evening rain', expect.stringMatching(/^The rain starts at \d\d:\d\d.[AP]M\.$/)],
    ]);
    tell(ahead(59));
    tell(snapshotOf('evening'));
    await leave(page, false);
    await shows(page, 'open');
    expect(await told(page)).toHaveLength(1);
  });

  test('a player who looks at the countdown is not told, and a browser that refuses is believed', async () => {
    const { page, tell } = await openScriptedPage(browser, {
      rain: ahead(600),
      prepare: (opened) => withNotifications(opened),
    });
    await page.getByTestId('remind').click();
    await page.getByTestId('remind').filter({ hasText: 'On, while' }).waitFor();
    tell(ahead(60.5));
    await page.getByTestId('big').filter({ hasText: /^5\d$/ }).waitFor();
    expect([await told(page), await page.getByTestId('remind').isVisible()]).toEqual([[], false]);

    const refused = await openScriptedPage(browser, {
      rain: ahead(600),
      prepare: (opened) => withNotifications(opened, 'denied'),
    });
    await refused.page.getByTestId('remind').click();
    await refused.page.getByTestId('remind').filter({ hasText: 'Your browser does not allow it' }).waitFor();
  });

  test('where the browser cannot tell, nothing is offered', async () => {
    const { page } = await openScriptedPage(browser, {
      rain: ahead(600),
      prepare: (opened) =>
        opened.addInitScript(() => {
          Reflect.deleteProperty(globalThis, 'Notification');
        }),
    });
    await shows(page, 'scheduled');
    expect(await page.getByTestId('remind').isVisible()).toBe(false);
  });
});
