import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addOperator } from '../../src/operator/staff/staff.ts';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';
import { findBarriers } from './axe.ts';
import { buildShippedPage, OPERATOR_PAGE } from './built-page.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { goTo, LAPTOP, openConsole, PASSWORD, photograph, signIn } from './operator.ts';
import { PHONE } from './stage.ts';
import { closePages } from './windows.ts';

describe.skipIf(WITHOUT_CHROMIUM)('what a second operator approves', () => {
  let testConsole: TestConsole;
  let browser: Browser;
  beforeAll(async () => {
    await buildShippedPage();
    [testConsole, browser] = await Promise.all([
      openTestConsole({ consoleFolder: OPERATOR_PAGE }, { approvalAboveCents: 5_000n }),
      launchChromium(),
    ]);
    for (const name of ['ann', 'ben']) await addOperator(testConsole, name, 'operator', PASSWORD);
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await browser?.close();
    await testConsole?.stop();
  });

  test.each([
    ['en-GB', LAPTOP, 'laptop', 'waiting', 'carried out'],
    ['zh-CN', PHONE, 'phone', '待审批', '已执行'],
  ] as const)(
    'a rain above the amount waits, its own operator is offered no approval, and another one creates it (%s)',
    async (locale, viewport, name, waiting, carriedOut) => {
      // Windows of their own, with cookies of their own.
      const [ann, ben] = await Promise.all(
        ['ann', 'ben'].map(async (operator, i) => {
          const opened = await openConsole(browser, { consoleUrl: testConsole.url }, '#/approvals', {
            locale,
            viewport,
            timezoneId: i === 0 ? 'UTC' : 'Asia/Shanghai',
          });
          await signIn(opened.page, operator);
          return opened;
        }),
      );
      await goTo(ann!.page, '#/create');
      await ann!.page.getByTestId('preset-flash').click();
      for (const [field, value] of Object.entries({
        title: `New year, ${name}`,
        budget: '88.8',
        packets: '12',
        'start-in': '600',
        duration: '60',
      }))
        await ann!.page.getByTestId(field).fill(value);
      await ann!.page.getByTestId('preview').waitFor();
      await ann!.page.getByTestId('review').click();
      await ann!.page.getByTestId('act').click();
      const told = ann!.page.locator('.refused-box.waits');
      await expect.poll(() => told.getAttribute('data-code')).toBe('needs_approval');
      await photograph(ann!.page, `approval-asked-${name}`);

      expect(await ann!.page.getByTestId('act').getAttribute('aria-disabled')).toBe('true');
      await told.getByRole('link').click();
      const own = ann!.page.getByTestId('approval').first();
      expect(await own.getByTestId('approval-state').textContent()).toBe(waiting);
      expect(await own.getByRole('button').count()).toBe(0);

      await ben!.page.reload();
      const row = ben!.page.getByTestId('approval').first();
      expect(await row.textContent()).toMatch(new RegExp(`New year, ${name}.*¥88\\.80`));
      expect(await findBarriers(ben!.page)).toEqual([]);
      expect(await ben!.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await photograph(ben!.page, `approvals-${name}`);
      await row.getByRole('button').first().click();
      await photograph(ben!.page, `approve-${name}`);
      await ben!.page.getByTestId('act').click();
      await expect.poll(() => row.getByTestId('approval-state').textContent()).toBe(carriedOut);
      expect((await testConsole.ledger.rains(10, 'all')).map(({ title }) => title)).toContain(`New year, ${name}`);
      expect([...ann!.faults, ...ben!.faults]).toEqual([]);
    },
  );
});
