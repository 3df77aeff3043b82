import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runWave } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { deploy, type Deployment } from './deployment.ts';
import {
  ACTIONS,
  goTo,
  LAPTOP,
  makeRain,
  openConsole,
  PASSWORD,
  photograph,
  screensOf,
  signIn,
  startAtOnce,
} from './operator.ts';
import { shows, tapPackets, text, userOf } from './player.ts';
import { PHONE } from './stage.ts';
import { closePage, closePages, openPage } from './windows.ts';

const BOTS = 23;
/** One packet for each bot, and one for the player. */
const PACKETS = BOTS + 1;

describe.skipIf(WITHOUT_CHROMIUM)('the console, from the sign-in to the last cent', () => {
  let system: Deployment;
  let browser: Browser;
  beforeAll(async () => {
    system = await deploy();
  });
  beforeAll(async () => {
    await system.rainTold(`${PASSWORD}\n`, 'operator', 'add', 'opal');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await system?.end();
  });

  afterEach(() => closePages(browser));

  /** Waits longer, because up to three other processes have to act first. */
  const soon = <T>(look: () => T) => expect.poll(look, { timeout: 40_000, interval: 100 });
  const shown = (page: Page, testId: string) => page.getByTestId(testId).first().textContent();

  test(
    "a rain is created, watched, won on the player's page, credited, exported and ended, and its money adds up",
    { timeout: 180_000 },
    async () => {
      const { page, faults } = await openConsole(browser, system);
      await signIn(page, 'opal');

      // While typing, refusals are shown beside their fields.
      await goTo(page, '#/create');
      await page.getByTestId('budget').fill('1');
      await page.getByTestId('packets').fill('500');
      const field = page.locator('.field', { has: page.getByTestId('packets') });
      await soon(() => field.locator('.refusal').textContent()).toContain(
        '500 packets of at least 0.01 would take 5.00',
      );
      expect(await page.getByTestId('packets').getAttribute('aria-invalid')).toBe('true');
      await photograph(page, 'refusal');
      await page.getByTestId('preset-party').click();
      await soon(() => shown(page, 'luckiest')).toBe('¥888.00');
      await photograph(page, 'create');
      await page.getByTestId('review').click();
      expect(await shown(page, 'deeds')).toContain('8,888.00 leaves the operator account');
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, 'review');
      await page.keyboard.press('Escape');

      const rainId = await makeRain(page, { title: '公司年会', startIn: '500', budget: '888', packets: PACKETS });
      await goTo(page, '#/rains');
      await soon(() => page.getByTestId('rain').count()).toBe(1);

      // The live screen, updated every second.
      await goTo(page, `#/rains/${rainId}/live`);
      const bots = runWave({
        url: system.gatewayUrl,
        rainId,
        users: BOTS,
        tokenFor,
        creditWaitMs: 20_000,
        reactionMs: { min: 200, max: 3_000 },
      });
      const player = await openPage(browser, {
        viewport: PHONE,
        locale: 'zh-CN',
        hasTouch: true,
        reducedMotion: 'reduce',
      });
      await player.goto(`${system.consoleUrl}/?rain=${rainId}`);
      await soon(() => shown(page, 'live-sockets')).toBe(String(BOTS + 1));
      await photograph(page, 'live-before');
      // All users are connected: start the rain.
      await goTo(page, `#/rains/${rainId}`);
      await startAtOnce(page);
      await goTo(page, `#/rains/${rainId}/live`);
      await shows(player, 'open', 40_000);
      await tapPackets(player);
      await shows(player, 'won', 40_000);
      const won = await text(player, 'big');
      await soon(() => shown(page, 'live-wins')).toBe(String(PACKETS));
      await soon(() => shown(page, 'live-left')).toBe(`0 of ${PACKETS}`);
      await soon(() => page.locator('.ticker li').count()).toBeGreaterThan(5);
      await photograph(page, 'live');
      await page.getByTestId('big').click();
      await page.locator('[data-testid=live][data-big=true]').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, 'live-big');
      await page.evaluate(() => document.exitFullscreen());
      await bots;

      // [R5] [R6] From the tap to the ledger: credited once, and a reload shows it again.
      for (const look of ['at once', 'after a reload']) {
        await player.locator('[data-testid=phone][data-credited]').waitFor({ timeout: 40_000 });
        expect([await text(player, 'big'), await text(player, 'detail')], look).toEqual([won, '已入账到你的钱包']);
        if (look === 'at once') await player.reload();
      }
      const user = await userOf(player);
      expect(await system.balanceOf(user)).toBe(String(Math.round(Number(won.replace(/[^\d.]/g, '')) * 100)));
      await closePage(player);

      await goTo(page, `#/rains/${rainId}/winners`);
      await soon(() => page.getByTestId('winner').count()).toBe(PACKETS);
      await soon(() => page.locator('[data-testid=winner] [data-status=credited]').count()).toBe(PACKETS);
      await photograph(page, 'winners');
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('csv').click()]);
      const file = join(temporaryFolder(), 'winners.csv');
      await download.saveAs(file);
      const csv = readFileSync(file, 'utf8');
      const names = await page.locator('[data-testid=winner] th').allTextContents();
      expect(csv.trim().split('\n')).toHaveLength(PACKETS + 1);
      expect(names).toContain(user);
      for (const name of names) expect(csv).toContain(name);

      await page.getByTestId('to-sheet').click();
      await soon(() => page.getByTestId('sheet-row').count()).toBe(PACKETS);
      const rows = await page.getByTestId('sheet-row').locator('th').allTextContents();
      expect(rows.toSorted()).toEqual(names.toSorted());
      expect(await page.getByTestId('sheet').textContent()).toContain(`${PACKETS} winners, `);
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByTestId('print').isVisible(), 'on paper there is no button').toBe(false);
      await photograph(page, 'winners-sheet');
      await page.emulateMedia({ media: 'screen' });
      await goTo(page, `#/rains/${rainId}/winners`);
      await page.getByTestId('search').fill(names[3]!);
      await soon(() => page.getByTestId('winner').count()).toBe(1);

      await goTo(page, `#/rains/${rainId}`);
      await page.getByTestId('verb-close').click();
      expect(await page.locator('dialog').textContent()).toContain('It cannot be reopened');
      await page.getByTestId('act').click();
      await soon(() => shown(page, 'state')).toBe('Settled');
      await soon(() => page.getByTestId('equation').getAttribute('data-closes')).toBe('true');
      await soon(() => shown(page, 'part-credited')).toBe('¥888.00');
      await page.getByTestId('verify').click();
      await soon(() => shown(page, 'verdict')).toContain('every packet matches the commitment');
      await photograph(page, 'rain');
      await goTo(page, '#/actions');
      await soon(() => page.locator('[data-testid=action][data-verb=create]').textContent()).toContain('console:opal');
      expect(await page.locator('[data-testid=action][data-verb=create]').count()).toBe(1);
      expect(faults).toEqual([]);
    },
  );

  test.each([
    { locale: 'en-GB', colorScheme: 'light', reducedMotion: 'no-preference', viewport: LAPTOP },
    { locale: 'zh-CN', colorScheme: 'dark', reducedMotion: 'reduce', viewport: PHONE, hasTouch: true },
  ] as const)(
    'every screen is accessible: $locale, $colorScheme, $viewport.width wide',
    { timeout: 240_000 },
    async (look) => {
      const { page, faults } = await openConsole(browser, system, '', look);
      await signIn(page, 'opal');
      const rainId = await eventually(
        async () => (await page.locator('[data-testid=rain] a').first().getAttribute('href'))?.split('/')[2] ?? false,
      );
      for (const hash of screensOf(rainId)) {
        await goTo(page, hash);
        if (hash === `#/rains/${rainId}`)
          expect(await page.locator(ACTIONS).count(), 'what a viewer is not offered').toBeGreaterThan(0);
        expect(await findBarriers(page), hash).toEqual([]);
        await photograph(page, `${look.locale}-${hash.replace(rainId, 'one').replace(/\W+/g, '-')}`);
      }
      expect(faults).toEqual([]);
    },
  );
});
