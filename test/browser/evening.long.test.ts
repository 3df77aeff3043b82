import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { stockRain } from '../support/rain.ts';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { BIG_SCREEN, configure, cutOff, PROJECTOR, REACHABLE, untilStage } from './hallScreen.ts';
import { photograph } from './operator.ts';
import { shows, text, userOf } from './player.ts';
import { openScriptedPage, snapshotOf } from './scriptedPage.ts';
import { setStage } from './stage.ts';

const LUCKIEST = [
  { user: 'a•••1', amount: '128.88', redPacketId: 'p1' },
  { user: '王•••2', amount: '66.66', redPacketId: 'p2' },
  { user: 'c•••3', amount: '52.00', redPacketId: 'p3' },
];

describe.skipIf(WITHOUT_CHROMIUM)('the screen of a hall', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test.each([
    {
      locale: 'en-US',
      viewport: PROJECTOR,
      starts: 'The rain starts in',
      left: '123 of 400 left',
      sum: '301 won ¥6,795.60 in all',
      scan: 'Scan to play',
    },
    {
      locale: 'zh-CN',
      viewport: BIG_SCREEN,
      starts: '距离红包雨开始',
      left: '剩余 123 / 400',
      sum: '301 人共抢到 ¥6,795.60',
      scan: '扫码参加',
    },
  ])(
    'in $locale, $viewport.width wide: the way in, the countdown, the rain, the luckiest; nothing is cut off, nobody is kept out',
    async ({ locale, viewport, starts, left, sum, scan }) => {
      const rain = snapshotOf('r1', {
        title: 'Annual party 年会',
        state: 'loaded',
        opensAt: Date.now() + 75_000,
        packets: 400,
        left: 400,
      });
      const { page, said, tell, say } = await openScriptedPage(browser, {
        rain,
        path: '/hall',
        prepare: (opened) => configure(opened, { page: REACHABLE }),
        window: { viewport, locale, hasTouch: false },
        book: { leaderboard: async (rainId) => ({ rainId, luckiest: LUCKIEST, final: true, given: '6795.60' }) },
      });
      const looks = async (name: string) => {
        expect(await findBarriers(page), name).toEqual([]);
        await expect.poll(() => cutOff(page), { message: name, timeout: 10_000 }).toEqual([]);
        await photograph(page, `${locale}-${name}`, 'hall');
      };
      await untilStage(page, 'before');
      expect([await text(page, 'headline'), await text(page, 'event'), await text(page, 'address')]).toEqual([
        starts,
        'Annual party 年会',
        new URL(REACHABLE).host,
      ]);
      expect(await text(page, 'big')).toMatch(/^1:\d\d$/);
      expect(await page.getByTestId('way-in').textContent()).toContain(scan);
      expect(await page.getByTestId('code').locator('svg path').getAttribute('d')).toMatch(/^M/);
      expect(await text(page, 'hint')).toBe('');
      await looks('before');
      tell({ ...rain, opensAt: Date.now() + 7_900 });
      await page.locator('[data-testid=hall][data-last]').waitFor();
      await looks('last-seconds');
      tell({ ...rain, state: 'open', opensAt: Date.now() - 1_000, left: 123 });
      say({
        type: 'winners',
        rainId: 'r1',
        winners: Array.from({ length: 10 }, (_, i) => ({ user: `guest•••${i}`, amount: `${i + 1}2.21` })),
      });
      await untilStage(page, 'raining');
      expect(await text(page, 'left-label')).toBe(left);
      await page.getByTestId('names').locator('li').nth(7).waitFor();
      expect(await page.getByTestId('names').locator('li').count()).toBe(8);
      await looks('raining');
      tell({ ...rain, state: 'settled', left: 99 });
      await untilStage(page, 'after');
      await page.getByTestId('places').locator('li').nth(2).waitFor();
      expect(await page.getByTestId('places').locator('li').allTextContents()).toEqual(
        LUCKIEST.map(({ user, amount }) => `${user}¥${amount}`),
      );
      expect(await text(page, 'sum')).toBe(sum);
      await looks('after');
      expect(said('grab'), 'it only watches').toEqual([]);
    },
    60_000,
  );

  test('at an address that phones cannot reach there is no code, and how guests get one', async () => {
    const rain = snapshotOf('r1', { state: 'loaded', opensAt: Date.now() + 75_000 });
    const { page, tell } = await openScriptedPage(browser, {
      rain,
      path: '/hall',
      window: { viewport: PROJECTOR, locale: 'en-US', hasTouch: false },
    });
    await untilStage(page, 'before');
    expect(await page.getByTestId('code').locator('svg').count()).toBe(0);
    expect(await page.getByTestId('way-in').textContent()).toMatch(
      /^\s*Phones cannot reach this address.*rain up --event/s,
    );
    expect(await cutOff(page)).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    tell({ ...rain, state: 'open', opensAt: Date.now() - 1_000 });
    await untilStage(page, 'raining');
    expect(await page.getByTestId('way-in').isVisible()).toBe(false);
  });

  test('/hall/ID leads to the screen of that rain', async () => {
    const { page, address } = await openScriptedPage(browser, {
      rain: snapshotOf('r1'),
      window: { viewport: PROJECTOR },
    });
    await page.goto(`${address}/hall/r1`);
    await untilStage(page, 'raining');
    expect(page.url()).toBe(`${address}/hall?rain=r1`);
    // A path that is no id leads to the next rain.
    await page.goto(`${address}/hall/no%20rain`);
    expect(page.url()).toBe(`${address}/hall`);
    await page.getByTestId('hall').waitFor();
  });
});

describe.skipIf(WITHOUT_CHROMIUM)('a guest', () => {
  test.each(['device', 'tab'] as const)(
    'of a %s: whether another page of the same browser is the same guest',
    async (guestsAre) => {
      const stage = await setStage({ guestsAre });
      onTestFinished(() => stage.end());
      await stockRain(stage.redis, { rainId: 'r1', amounts: ['1.00'] });
      const first = await stage.open();
      await shows(first, 'open');
      const user = await userOf(first);
      const second = await stage.open();
      await shows(second, 'open');
      expect((await userOf(second)) === user).toBe(guestsAre === 'device');
    },
  );

  test.each(['en-US', 'zh-CN'])(
    'of an event is asked once for a name, and has it from then on (%s)',
    async (locale) => {
      const stage = await setStage({ guestsAre: 'device', event: 'Annual party 年会' });
      onTestFinished(() => stage.end());
      await stockRain(stage.redis, { rainId: 'r1', amounts: ['1.00'] });
      const page = await stage.open('/', { locale });
      const dialog = page.getByTestId('nickname');
      await dialog.waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, `${locale}-name`, 'hall');
      await page.getByTestId('nickname-field').fill('...');
      await page.getByTestId('nickname-join').click();
      expect(await text(page, 'nickname-error')).toContain('20');
      expect(await findBarriers(page)).toEqual([]);
      await page.getByTestId('nickname-field').fill('王 Anna');
      await page.getByTestId('nickname-field').press('Enter');
      await shows(page, 'open');
      expect(await text(page, 'user')).toContain('王 Anna');
      await page.reload();
      await shows(page, 'open');
      expect([await dialog.isVisible(), (await text(page, 'user')).includes('王 Anna')]).toEqual([false, true]);
    },
  );
});
