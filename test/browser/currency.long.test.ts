import { describe, expect, test } from 'vitest';
import { createSale } from '../../src/operator/sale/create.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { findRain, redisNow } from '../../src/store/rains.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { isWiderThanScreen, setConsoleStage, soon } from './consoleStage.ts';
import { goTo, LAPTOP, photograph } from './operator.ts';

/** Each screen with an amount, what it says, and where. */
const SAID: readonly (readonly [hash: string, selector: string, amount: string])[] = [
  ['#/rains', '.rain-row .money', 'CHF\u00a010.00'],
  ['#/rains/spring', '[data-testid=figure-budget]', 'CHF\u00a010.00'],
  ['#/rains/spring', '[data-testid=part-budget], .equation', 'CHF\u00a010.00'],
  ['#/rains/spring/winners', '[data-testid=winner]', 'CHF\u00a01.00'],
  ['#/rains/spring/winners/sheet', 'main', 'CHF\u00a01.00'],
  ['#/rains/winter', '[data-testid=figure-recycled]', 'CHF\u00a07.00'],
  ['#/dead', '[data-testid=letter]', 'CHF\u00a01.00'],
  ['#/actions', '[data-field=budget]', 'CHF\u00a010.00'],
  ['#/sales/flash', '[data-testid=item]', 'CHF\u00a019.90'],
  ['#/sales/flash', '[data-testid=hall-link]', 'Screen for the hall'],
];

describe.skipIf(WITHOUT_CHROMIUM)('a console of another currency', () => {
  const stage = setConsoleStage({ currency: 'CHF' }, async (testConsole) => {
    await testConsole.wonRain('winter', 3);
    await testConsole.credit();
    await closeRain(testConsole, 'winter');
    expect(await settleRain(testConsole, 'winter', (await findRain(testConsole.redis, 'winter'))!)).toEqual({
      outcome: 'settled',
    });
    testConsole.barred.add('user-0');
    await testConsole.wonRain('spring', 2);
    await testConsole.credit();
    const now = await redisNow(testConsole.redis);
    const made = await createSale(testConsole, {
      id: 'flash',
      title: 'Flash',
      items: [{ sku: 'tee', units: 10, price: '19.90', perOrderMax: 2, perUserMax: 2 }],
      holdMs: 600_000,
      opensAt: now + 60_000,
      closesAt: now + 120_000,
    });
    expect(made).toMatchObject({ ok: true });
  });

  test.each([LAPTOP, { width: 320, height: 568 }])(
    'says it with every amount, and fits $width px',
    { timeout: 180_000 },
    async (viewport) => {
      const { page, faults } = await stage.open('opal', '', { locale: 'en-GB', viewport, reducedMotion: 'reduce' });
      for (const [hash, selector, amount] of SAID) {
        await goTo(page, hash);
        await soon(() => page.locator(selector).first().textContent()).toContain(amount);
        // The list to sign is for paper.
        if (!hash.endsWith('/sheet')) expect(await isWiderThanScreen(page), hash).toBe(false);
        expect(await findBarriers(page), hash).toEqual([]);
        await photograph(page, `currency-${viewport.width}${hash.replace(/\W+/g, '-')}`);
      }
      expect(await page.getByTestId('hall-link').getAttribute('href')).toMatch(/\/hall\/flash$/);
      expect(faults).toEqual([]);
    },
  );
});
