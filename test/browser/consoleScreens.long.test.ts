import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { runWave } from '../../src/loadtest/wave.ts';
import { tokenFor } from '../support/client.ts';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { deploy, type Deployment } from './deployment.ts';
import { ACTIONS, goTo, LAPTOP, makeRain, openConsole, PASSWORD, photograph, screensOf, signIn } from './operator.ts';
import { PHONE } from './stage.ts';
import { closePages } from './windows.ts';

describe.skipIf(WITHOUT_CHROMIUM)('the screens of the console', () => {
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

  test.each([
    { locale: 'en-GB', colorScheme: 'light', reducedMotion: 'no-preference', viewport: LAPTOP },
    { locale: 'zh-CN', colorScheme: 'dark', reducedMotion: 'reduce', viewport: PHONE, hasTouch: true },
  ] as const)('are accessible: $locale, $colorScheme, $viewport.width wide', { timeout: 240_000 }, async (look) => {
    const { page, faults } = await openConsole(browser, system, '', look);
    await signIn(page, 'opal');
    const rainId = await makeRain(page, { title: `seen in ${look.locale}`, startIn: '3' });
    await runWave({ url: system.gatewayUrl, rainId, users: 15, tokenFor, creditWaitMs: 20_000 });
    for (const hash of screensOf(rainId)) {
      await goTo(page, hash);
      if (hash === `#/rains/${rainId}`) expect(await page.locator(ACTIONS).count(), 'what a viewer is not offered').toBeGreaterThan(0);
      expect(await findBarriers(page), hash).toEqual([]);
      await photograph(page, `${look.locale}-${hash.replace(rainId, 'one').replace(/\W+/g, '-')}`);
    }
    expect(faults).toEqual([]);
  });
});
