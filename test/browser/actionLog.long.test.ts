import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { blockCaller } from '../../src/operator/block.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { setConsoleStage, soon } from './consoleStage.ts';
import { LAPTOP, photograph } from './operator.ts';
import { PHONE } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('the audit log on the page', () => {
  const stage = setConsoleStage({}, async (testConsole) => {
    await testConsole.wonRain('party', 0);
    await blockCaller(testConsole, 'user', 'mallory', { reason: 'a hundred taps a second' });
    // More than a page.
    for (let i = 0; i < 120; i++)
      await testConsole.ledger.record({
        actor: 'auditor',
        verb: 'pause',
        rainId: 'party',
        details: { reason: `finding ${i}` },
      });
  });

  const verbs = (page: Page) =>
    page.getByTestId('action').evaluateAll((rows) => [...new Set(rows.map((row) => row.getAttribute('data-verb')))]);

  test.each([
    {
      locale: 'en-GB',
      colorScheme: 'light',
      viewport: LAPTOP,
      words: {
        create: 'created',
        details: ['budget ¥10.00', 'packets 10'],
        block: ['kind user', 'who mallory', 'reason a hundred taps a second'],
      },
    },
    {
      locale: 'zh-CN',
      colorScheme: 'dark',
      viewport: PHONE,
      words: {
        create: '创建',
        details: ['预算 ¥10.00', '红包数 10'],
        block: ['类型 用户', '对象 mallory', '原因 a hundred taps a second'],
      },
    },
  ] as const)(
    'is filtered by what, who, where and when, page by page, with details in words: $locale',
    { timeout: 180_000 },
    async ({ words, ...look }) => {
      const { page, faults } = await stage.open('opal', '#/actions', { ...look, reducedMotion: 'reduce' });
      const [what, when] = [page.locator('.filters select').first(), page.locator('.filters select').last()];
      const said = (verb: string) =>
        page
          .locator(`[data-verb=${verb}] dl.details div`)
          .evaluateAll((rows) => rows.map((row) => [...row.children].map(({ textContent }) => textContent).join(' ')));

      await what.selectOption('create');
      await soon(() => verbs(page)).toEqual(['create']);
      const details = await said('create');
      expect(details).toEqual(expect.arrayContaining([...words.details]));
      expect(details.at(-1), 'the hash is last, and short').toMatch(/^\S+ [0-9a-f]{8}…/);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.getByTestId('copy-whole').click();
      await soon(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^[0-9a-f]{64}$/);
      await photograph(page, `${look.locale}-created`, 'log');
      await what.selectOption('block');
      await soon(() => verbs(page)).toEqual(['block']);
      expect(await said('block')).toEqual([...words.block]);

      await page.getByTestId('filter-clear').click();
      await page.getByTestId('filter-actor').fill('auditor');
      await soon(() => verbs(page)).toEqual(['pause']);
      expect(await page.getByTestId('action').count()).toBe(100);
      await page.getByTestId('more').click();
      await soon(() => page.getByTestId('action').count()).toBe(120);
      await page.getByTestId('filter-rain').fill('no such/id');
      await soon(() => page.locator('.field.refused .refusal').count()).toBe(1);
      expect(await findBarriers(page)).toEqual([]);
      await page.getByTestId('filter-rain').fill('another');
      await soon(() => page.locator('.empty').count()).toBe(1);
      await page.getByTestId('filter-rain').fill('party');
      await when.selectOption('3600000');
      await soon(() => page.getByTestId('action').count()).toBe(100);
      await when.selectOption('between');
      await page.getByTestId('filter-since').fill('2020-01-01T00:00:00');
      await page.getByTestId('filter-until').fill('2020-01-02T00:00:00');
      await soon(() => page.locator('.empty').count()).toBe(1);
      await page.getByTestId('filter-clear').click();
      await soon(() => verbs(page).then((all) => all.length)).toBeGreaterThan(1);
      // The name of an operator in a row asks for this operator.
      await page.locator('[data-testid=action] .linklike', { hasText: 'auditor' }).first().click();
      await soon(() => verbs(page)).toEqual(['pause']);
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, `${look.locale}-auditor`, 'log');
      expect(faults).toEqual([]);
    },
  );
});
