import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { deploy, type Deployment } from './deployment.ts';
import { goTo, makeRain, openConsole, PASSWORD, photograph, signIn, startAtOnce, untilBrought } from './operator.ts';
import { closePages } from './windows.ts';

describe.skipIf(WITHOUT_CHROMIUM)('the console', () => {
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

  test(
    'a rain is started by hand, paused, resumed and topped up, each time after a confirmation',
    { timeout: 120_000 },
    async () => {
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
      await soon(() => page.locator('dialog .refusal').textContent()).toContain(
        '2 packets of at least 0.01 would take 0.02',
      );
      await page.getByTestId('top-budget').fill('11.2');
      await soon(() => page.locator('dialog').textContent()).toContain('11.20 leaves the operator account');
      await photograph(page, 'top-up');
      await page.getByTestId('act').dblclick();
      await soon(() => shown(page, 'figure-budget')).toBe('¥100.00');
      expect(await shown(page, 'figure-packets')).toBe('14');
      expect(faults).toEqual([]);
    },
  );

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
    await soon(() => page.getByTestId('deeds').textContent()).toContain(
      '¥132.00 leaves the operator account and is reserved for 2 rains of ¥66.00 each',
    );
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
