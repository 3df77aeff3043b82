import { describe, expect, test } from 'vitest';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { blockCaller } from '../../src/operator/block.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { setConsoleStage } from './consoleStage.ts';
import { misfits } from './fits.ts';
import { goTo, photograph } from './operator.ts';

const LONG = 'a-name-as-long-as-nobody-has-one-but-a-machine-that-makes-them-up@example.com';

describe.skipIf(WITHOUT_CHROMIUM)('the console on a phone', () => {
  const stage = setConsoleStage({}, async (testConsole) => {
    const now = await redisNow(testConsole.redis);
    await testConsole.wonRain('party', 4);
    await createRain(testConsole, {
      id: 'the-annual-party-of-all-branches-with-a-long-id',
      title: 'The annual party of all branches · 全体分公司春节联欢晚会红包雨',
      plan: { budget: '88888.00', packets: 1_000, split: { method: 'even' } },
      opensAt: now + 3 * 86_400_000,
      closesAt: now + 3 * 86_400_000 + 60_000,
    });
    await createRain(testConsole, {
      id: 'unbroken',
      title: 'Unbroken'.repeat(7),
      plan: { budget: '8.00', packets: 8, split: { method: 'even' } },
      opensAt: now + 86_400_000,
      closesAt: now + 86_460_000,
      terms: { rehearsal: true },
    });
    await blockCaller(testConsole, 'user', LONG, {
      reason: 'a hundred taps a second, from a telephone that nobody holds',
    });
    await blockCaller(testConsole, 'address', '2001:db8:1234:5678::/64', { reason: 'x'.repeat(80) });
  });

  test.each([
    { locale: 'en-GB', colorScheme: 'light', viewport: { width: 320, height: 568 } },
    { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 320, height: 568 } },
    { locale: 'en-GB', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
    { locale: 'zh-CN', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  ] as const)(
    'nothing is cut off, nothing scrolls sideways, and a thumb meets everything: $locale, $viewport.width wide',
    { timeout: 120_000 },
    async (look) => {
      const { page, faults } = await stage.open('opal', '', { ...look, hasTouch: true, reducedMotion: 'reduce' });
      const found: string[] = [];
      for (const hash of ['#/rains', '#/blocks', '#/users', '#/actions', '#/remote']) {
        await goTo(page, hash);
        if (hash === '#/users') {
          await page.getByTestId('user-id').fill(LONG);
          await page.getByTestId('user-export').click();
          await page.getByTestId('user-data').waitFor();
        }
        if (hash === '#/actions') await page.getByTestId('action').first().waitFor();
        await photograph(page, `${look.locale}-${look.viewport.width}${hash.replace(/\W+/g, '-')}`, 'phone');
        found.push(...[...(await misfits(page)), ...(await findBarriers(page))].map((one) => `${hash}: ${one}`));
      }
      await page.locator('.menu').click();
      await photograph(page, `${look.locale}-${look.viewport.width}-menu`, 'phone');
      found.push(...(await misfits(page)).map((one) => `the menu: ${one}`));
      expect(found).toEqual([]);
      expect(faults).toEqual([]);
    },
  );

  test(
    'that the server is away is told once, nothing under it looks verified, and the page comes back by itself',
    { timeout: 90_000 },
    async () => {
      const { page, faults } = await stage.open('opal', '#/rains/party', { locale: 'en-GB', reducedMotion: 'reduce' });
      await expect
        .poll(() => page.getByTestId('equation').getAttribute('data-closes'), { timeout: 30_000 })
        .toBe('true');
      for (const hash of ['#/rains/party', '#/rains/party/live']) {
        await goTo(page, hash);
        await expect
          .poll(() => page.locator('[data-testid=equation][data-closes=true]').count(), { timeout: 30_000 })
          .toBe(1);
        await page.route('**/api/console/**', (route) => route.abort());
        await page.getByTestId('away').waitFor();
        // Long enough that every request of the page has failed.
        await expect.poll(() => page.locator('[data-away=true]').count()).toBe(1);
        expect(await page.getByText('does not answer').count(), hash).toBe(1);
        expect(await page.getByTestId('equation').textContent(), hash).toContain('Not known while the server is away.');
        expect(await page.getByText('It adds up').count(), hash).toBe(0);
        expect(await page.locator('.refused-box').count(), hash).toBe(1);
        expect(await findBarriers(page), hash).toEqual([]);
        await photograph(page, `away${hash.replace(/\W+/g, '-')}`, 'phone');
        await page.unroute('**/api/console/**');
        await expect.poll(() => page.getByTestId('away').count(), { timeout: 30_000 }).toBe(0);
        await expect
          .poll(() => page.locator('[data-testid=equation][data-closes=true]').count(), { timeout: 30_000 })
          .toBe(1);
      }
      expect(faults).toEqual([]);
    },
  );
});
