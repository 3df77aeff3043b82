import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hold } from '../../src/store/holds.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';
import { findBarriers } from './axe.ts';
import { buildShippedPage, OPERATOR_PAGE } from './built-page.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { goTo, LAPTOP, openConsole, photograph, signIn } from './operator.ts';
import { PHONE } from './stage.ts';
import { closePages } from './windows.ts';

describe.skipIf(WITHOUT_CHROMIUM)('the console after a restore', () => {
  let testConsole: TestConsole;
  let browser: Browser;
  beforeAll(async () => {
    await buildShippedPage();
    [testConsole, browser] = await Promise.all([openTestConsole({ consoleFolder: OPERATOR_PAGE }), launchChromium()]);
    for (const id of ['spring', 'summer', 'autumn']) {
      await testConsole.wonRain(id, 3);
      await testConsole.ledger.credit((await claimLog(testConsole, id)).slice(0, 2));
    }
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await browser?.close();
    await testConsole?.stop();
  });

  test.each([
    ['en-GB', LAPTOP, 'laptop'],
    ['zh-CN', PHONE, 'phone'],
  ] as const)(
    'tells the older store, what is held and lost, what differs and what to do (%s)',
    async (locale, viewport, name) => {
      const { page, faults } = await openConsole(browser, { consoleUrl: testConsole.url }, '#/system', {
        locale,
        viewport,
      });
      await signIn(page, 'vera');
      // Redis is an older state of one rain, and has lost another.
      await hold(testConsole.redis, 'spring', 1, 'redis_behind');
      await testConsole.redis.del(
        shardKeys('spring', 0).claims,
        shardKeys('spring', 0).claimed,
        shardKeys('summer', 0).state,
      );
      await goTo(page, '#/rains');
      await page.getByTestId('stores-notice').waitFor();
      await photograph(page, `stores-notice-${name}`);
      await page.getByTestId('stores-notice').locator('a').click();
      await expect
        .poll(() => page.getByTestId('behind').textContent(), { timeout: 20_000 })
        .toMatch(/^(Redis is an older state than the database|Redis 比数据库更早).*summer$/);
      expect(await page.getByTestId('held').textContent()).toContain('spring');
      expect(await page.getByTestId('stores').locator('.steps').textContent()).toContain(
        'rain restore apply --dry-run',
      );
      await page.getByTestId('compare-stores').click();
      await expect
        .poll(() => page.getByTestId('compared').textContent(), { timeout: 20_000 })
        .toMatch(/^✗ (They do NOT agree. Rains and sales that differ: 2\.|两边不一致！有差异的场次：2。)$/);
      const spring = page.getByTestId('differing').filter({ hasText: 'Rain spring' });
      expect(await spring.locator('[data-kind=credit_not_in_log]').textContent()).toMatch(
        /user-0spring-0¥1\.00user-1spring-1¥1\.00.*rain restore apply spring$/,
      );
      expect(await page.getByTestId('differing').filter({ hasText: 'Rain summer' }).textContent()).toContain(
        'rain restore apply summer',
      );
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      expect(await findBarriers(page)).toEqual([]);
      await page.getByTestId('stores').scrollIntoViewIfNeeded();
      await photograph(page, `stores-${name}`);
      await goTo(page, '#/rains/spring');
      await page.getByTestId('held').waitFor();
      await photograph(page, `stores-rain-${name}`);
      expect(faults).toEqual([]);
    },
  );
});
