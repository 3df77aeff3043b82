import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runWave } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';
import { temporaryFolder } from '../support/temporaryFolder.ts';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { deploy, type Deployment } from './deployment.ts';
import { goTo, makeRain, openConsole, PASSWORD, photograph, signIn, untilBrought } from './operator.ts';
import { shows, tapPackets, text, userOf } from './player.ts';
import { PHONE } from './stage.ts';
import { closePage, closePages, openPage } from './windows.ts';

const BOTS = 23;
/** One packet for each bot, and one for the player. */
const PACKETS = BOTS + 1;

describe.skipIf(WITHOUT_CHROMIUM)('the console, from the sign-in to the last cent', () => {
  let system: Deployment;
  let browser: Browser;
  beforeAll(async () => { system = await deploy(); });
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

  /** Opens the page of a rain. */
  async function startAtOnce(page: Page): Promise<void> {
    await page.getByTestId('verb-start').click();
    await page.locator('dialog').getByText('At once').click();
    await photograph(page, 'start');
    await page.getByTestId('act').click();
    await soon(() => shown(page, 'state')).toBe('Raining');
  }

  test('[R12] a wrong password is refused with a text, and the right one leads to the requested screen', async () => {
    const { page, faults } = await openConsole(browser, system, '#/blocks');
    await page.getByTestId('name').fill('opal');
    await page.getByTestId('password').fill('not this one');
    await page.getByTestId('enter').click();
    await soon(() => page.getByRole('alert').textContent()).toContain('name or the password is wrong');
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'login');
    await signIn(page, 'opal');
    expect(await page.locator('h1').textContent()).toBe('Blocked');
    await goTo(page, '#/rains');
    await soon(() => page.locator('.empty').textContent()).toContain('No rain yet');
    expect(faults).toEqual([]);
  });

  test('a rain is created, watched, won on the player\'s page, credited, exported and ended, and its money adds up', { timeout: 180_000 }, async () => {
    const { page, faults } = await openConsole(browser, system);
    await signIn(page, 'opal');

    // While typing, refusals are shown beside their fields.
    await goTo(page, '#/create');
    await page.getByTestId('budget').fill('1');
    await page.getByTestId('packets').fill('500');
    const field = page.locator('.field', { has: page.getByTestId('packets') });
    await soon(() => field.locator('.refusal').textContent()).toContain('500 packets of at least 0.01 would take 5.00');
    expect(await page.getByTestId('packets').getAttribute('aria-invalid')).toBe('true');
    await photograph(page, 'refusal');
    await page.getByTestId('preset-party').click();
    await soon(() => shown(page, 'luckiest')).toBe('888.00');
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
    const bots = runWave({ url: system.gatewayUrl, rainId, users: BOTS, tokenFor, creditWaitMs: 20_000, reactionMs: { min: 200, max: 3_000 } });
    const player = await openPage(browser, { viewport: PHONE, locale: 'zh-CN', hasTouch: true, reducedMotion: 'reduce' });
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
    await page.getByTestId('search').fill(names[3]!);
    await soon(() => page.getByTestId('winner').count()).toBe(1);

    await goTo(page, `#/rains/${rainId}`);
    await page.getByTestId('verb-close').click();
    expect(await page.locator('dialog').textContent()).toContain('It cannot be reopened');
    await page.getByTestId('act').click();
    await soon(() => shown(page, 'state')).toBe('Settled');
    await soon(() => page.getByTestId('equation').getAttribute('data-closes')).toBe('true');
    await soon(() => shown(page, 'part-credited')).toBe('888.00');
    await page.getByTestId('verify').click();
    await soon(() => shown(page, 'verdict')).toContain('every packet matches the commitment');
    await photograph(page, 'rain');
    await goTo(page, '#/actions');
    await soon(() => page.locator('[data-testid=action][data-verb=create]').textContent()).toContain('console:opal');
    expect(await page.locator('[data-testid=action][data-verb=create]').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test('a rain is started by hand, paused, resumed and topped up, each time after a confirmation', { timeout: 120_000 }, async () => {
    const { page, faults } = await openConsole(browser, system);
    await signIn(page, 'opal');
    await makeRain(page, { title: 'by hand', startIn: '500' });
    const act = async (verb: string, ...told: string[]) => {
      await page.getByTestId(`verb-${verb}`).click();
      for (const words of told) await soon(() => page.locator('dialog').textContent()).toContain(words);
      await page.getByTestId('act').click();
      await page.locator('dialog').waitFor({ state: 'detached' });
    };
    await startAtOnce(page);
    await act('pause', 'Earlier wins stay valid');
    await soon(() => shown(page, 'state')).toBe('Paused');
    await act('resume');
    await soon(() => shown(page, 'state')).toBe('Raining');
    await page.getByTestId('verb-topUp').click();
    await page.getByTestId('top-budget').fill('0.01');
    await page.getByTestId('top-packets').fill('2');
    await soon(() => page.locator('dialog .refusal').textContent()).toContain('2 packets of at least 0.01 would take 0.02');
    await page.getByTestId('top-budget').fill('11.2');
    await soon(() => page.locator('dialog').textContent()).toContain('11.20 leaves the operator account');
    await photograph(page, 'top-up');
    await page.getByTestId('act').dblclick();
    await soon(() => shown(page, 'figure-budget')).toBe('100.00');
    expect(await shown(page, 'figure-packets')).toBe('14');
    expect(faults).toEqual([]);
  });

  test('a campaign is created, and several of its rounds are created at once', async () => {
    const { page, faults } = await openConsole(browser, system, '#/campaigns');
    await signIn(page, 'opal');
    await page.getByTestId('campaign-title').fill('One evening');
    await page.getByTestId('campaign-make').click();
    await untilBrought(page, 'add-rounds', 'campaign-make');
    await page.getByTestId('add-rounds').click();
    await page.getByTestId('title').fill('Round');
    await page.getByTestId('budget').fill('66');
    await page.getByTestId('packets').fill('6');
    await page.getByText('Add a round').click();
    await page.getByTestId('preview').waitFor();
    await page.getByTestId('review').click();
    await untilBrought(page, 'deeds', 'review');
    await soon(() => page.getByTestId('deeds').textContent()).toContain('132.00 leaves the operator account and is reserved for 2 rains of 66.00 each');
    await page.getByTestId('act').click();
    await untilBrought(page, 'rain', 'act');
    await soon(() => page.getByTestId('rain').count()).toBe(2);
    expect(await page.locator('[data-testid=rain] a').first().textContent()).toBe('Round · 1');
    expect(await shown(page, 'campaign-users')).toBe('0');
    await photograph(page, 'campaign');
    expect(faults).toEqual([]);
  });

  test('when a session ends, the login appears, and the typed text is kept', async () => {
    const { page } = await openConsole(browser, system, '#/create');
    await signIn(page, 'opal');
    await page.getByTestId('title').fill('half written');
    await page.context().clearCookies();
    await page.getByTestId('budget').fill('10');
    await page.getByTestId('packets').fill('5');
    await page.getByTestId('login').waitFor();
    expect(await page.locator('.login').textContent()).toContain('Nothing you typed is lost');
    await signIn(page, 'opal');
    expect(await page.getByTestId('title').inputValue()).toBe('half written');
    await page.getByTestId('preview').waitFor();
  });
});
