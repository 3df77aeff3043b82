import { Secret, TOTP } from 'otpauth';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { addOperator, issueToken } from '../../src/operator/staff/staff.ts';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';
import { findBarriers } from './axe.ts';
import { buildShippedPage, OPERATOR_PAGE } from './built-page.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { LAPTOP, openConsole, PASSWORD, photograph, signIn } from './operator.ts';
import { PHONE } from './stage.ts';
import { closePages } from './windows.ts';

describe.skipIf(WITHOUT_CHROMIUM)("the operator's own account", () => {
  let testConsole: TestConsole;
  let browser: Browser;
  beforeAll(async () => {
    await buildShippedPage();
    [testConsole, browser] = await Promise.all([
      openTestConsole({ consoleFolder: OPERATOR_PAGE, demandTotp: true }),
      launchChromium(),
    ]);
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await browser?.close();
    await testConsole?.stop();
  });

  const fill = (page: Page, values: Record<string, string>) =>
    Object.entries(values).reduce(
      (done, [testId, value]) => done.then(() => page.getByTestId(testId).fill(value)),
      Promise.resolve(),
    );

  test.each([
    ['en-GB', LAPTOP, 'laptop'],
    ['zh-CN', PHONE, 'phone'],
  ] as const)(
    'codes are set up on the page, asked for at the next sign-in, and a session and a password are ended there (%s)',
    async (locale, viewport, name) => {
      expect(await addOperator(testConsole, name, 'operator', PASSWORD)).toEqual({ ok: true });
      expect(await issueToken(testConsole, name, 'nightly report')).toMatchObject({ ok: true });
      const { page, faults } = await openConsole(browser, { consoleUrl: testConsole.url }, '#/account', {
        locale,
        viewport,
      });
      await signIn(page, name);
      expect(await page.getByTestId('totp-needed').count()).toBe(1);
      const totp = page.getByTestId('totp');
      await totp.getByTestId('current-password').fill(PASSWORD);
      await page.getByTestId('begin-totp').click();
      const secret = (await page.getByTestId('totp-secret').textContent())!.replaceAll(' ', '');
      const now = Date.now();
      const codeOf = (steps: number) =>
        new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: now + steps * 30_000 });
      await page.getByTestId('first-code').fill('12');
      await page.getByTestId('confirm-totp').click();
      await totp.locator('.refusal').waitFor();
      await page.getByTestId('first-code').fill(codeOf(0));
      await page.getByTestId('confirm-totp').click();
      await expect.poll(() => page.getByTestId('recovery-codes').locator('li').count()).toBe(10);
      const recoveryCode = (await page.getByTestId('recovery-codes').locator('li').first().textContent())!;
      expect(await page.getByTestId('totp-needed').count()).toBe(0);
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await photograph(page, `account-${name}`);

      // The page has the token of the new session: it goes on.
      await page.getByTestId('access').filter({ hasText: 'nightly report' }).getByRole('button').click();
      await page.getByTestId('act').click();
      await expect.poll(() => page.getByTestId('access').count()).toBe(1);
      await fill(page, { 'new-password': 'another long password', 'repeat-password': 'another long password' });
      const form = page.locator('form').filter({ has: page.getByTestId('new-password') });
      await form.getByTestId('current-password').fill(PASSWORD);
      await form.getByTestId('current-code').fill(recoveryCode);
      await page.getByTestId('change-password').click();
      await page.getByTestId('password-changed').waitFor();

      if (await page.locator('.menu').isVisible()) await page.locator('.menu').click();
      await page.getByTestId('leave').click();
      await page.getByTestId('name').fill(name);
      await page.getByTestId('password').fill('another long password');
      await page.getByTestId('enter').click();
      await page.getByTestId('code').fill('000000');
      await page.getByTestId('enter').click();
      await page.getByRole('alert').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByTestId('code').fill(codeOf(1));
      await page.getByTestId('enter').click();
      await page.getByTestId('login').waitFor({ state: 'detached' });
      expect(faults).toEqual([]);
    },
  );
});
