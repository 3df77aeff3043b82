import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { createCampaign } from '../../src/operator/campaign/create.ts';
import { createSale } from '../../src/operator/sale/create.ts';
import { openSale } from '../../src/operator/sale/open.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { findRain } from '../../src/store/rains.ts';
import { reserveTees, writeLog } from '../orders/saleStage.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { setConsoleStage, soon } from './consoleStage.ts';
import { ACTIONS, goTo, photograph } from './operator.ts';
import { PHONE } from './stage.ts';
import { closePages } from './windows.ts';

describe.skipIf(WITHOUT_CHROMIUM)('who is excluded from a campaign, on a real console', () => {
  const stage = setConsoleStage({}, async (testConsole) => {
    await testConsole.wonRain('last-year', 3);
    await testConsole.credit();
    await closeRain(testConsole, 'last-year');
    expect(await settleRain(testConsole, 'last-year', (await findRain(testConsole.redis, 'last-year'))!)).toEqual({
      outcome: 'settled',
    });
    const now = Date.now();
    expect(
      await createSale(testConsole, {
        id: 'flash',
        items: [{ sku: 'tee', units: 5, price: '0.00' }],
        holdMs: 60_000,
        opensAt: now - 1_000,
        closesAt: now + 600_000,
      }),
    ).toMatchObject({ ok: true });
    expect(await openSale(testConsole, 'flash')).toMatchObject({ ok: true });
    await reserveTees(testConsole, 'flash', 2);
    await writeLog(testConsole, 'flash');
    for (const n of [1, 2]) await testConsole.ledger.stepOrder(`flash-${n}`, 'paid');
    await testConsole.ledger.settleSale('flash');
    expect(await createCampaign(testConsole, { id: 'party', title: 'Party', winsPerUserMax: 1 })).toMatchObject({
      ok: true,
    });
  });

  const open = async (name: string, options = {}) => {
    const opened = await stage.open(name, '', options);
    await goTo(opened.page, '#/campaigns/party');
    return opened;
  };
  const choose = (page: Page, text: string) =>
    page
      .getByTestId('excluded-list')
      .setInputFiles({ name: 'board.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  const list = async (page: Page, text: string) => {
    await choose(page, text);
    await soon(() => page.getByTestId('understood').textContent()).toContain('Read as UTF-8');
    await page.getByTestId('exclude-listed').click();
  };

  test('the winners of a settled rain are excluded, then a list; all are taken back', async () => {
    const { page, faults } = await open('opal');
    await soon(() => page.getByTestId('excluded').textContent()).toBe('Nobody is excluded.');
    await page.getByTestId('exclude-winners').click();
    await soon(() => page.getByTestId('exclusions-told').textContent()).toBe('3 more users excluded, 3 in all.');
    await soon(() => page.getByTestId('excluded').textContent()).toBe('3 users excluded.');
    await choose(page, 'name\nx\n');
    await soon(() => page.locator('.exclusions .refused-box').textContent()).toContain('the column user, or number');
    await list(page, 'user\nann\nuser-0\n');
    await soon(() => page.getByTestId('exclusions-told').textContent()).toBe('1 more user excluded, 4 in all.');
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'exclusions');
    await page.getByTestId('readmit').click();
    await soon(() => page.getByTestId('excluded').textContent()).toBe('Nobody is excluded.');
    expect(faults).toEqual([]);
  });

  test('the buyers of a settled sale are excluded, from rains and sales', async () => {
    const { page, faults } = await open('opal');
    await soon(() => page.locator('.exclusions .hint').first().textContent()).toContain(
      'win nothing in the rains of this campaign and buy nothing in its sales',
    );
    await page.getByTestId('exclude-buyers').click();
    await soon(() => page.getByTestId('exclusions-told').textContent()).toBe('2 more users excluded, 2 in all.');
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'exclusions-buyers');
    await page.getByTestId('readmit').click();
    await soon(() => page.getByTestId('excluded').textContent()).toBe('Nobody is excluded.');
    expect(faults).toEqual([]);
  });

  test('on a phone, in Chinese; and a viewer sees how many, without a button', async () => {
    const { page } = await open('opal', { locale: 'zh-CN', viewport: { ...PHONE, width: 320 } });
    await page.getByTestId('exclude-winners').click();
    await soon(() => page.getByTestId('excluded').textContent()).toBe('已排除 3 人。');
    await choose(page, 'number\nE9\n');
    await soon(() => page.locator('.exclusions .refused-box').textContent()).toContain('参与者名单中没有工号 E9');
    const wide = () =>
      page.evaluate(() =>
        [...document.querySelectorAll('main *')]
          .filter((one) => one.getBoundingClientRect().right > innerWidth)
          .map((one) => one.outerHTML.slice(0, 80)),
      );
    expect(await wide()).toEqual([]);
    await photograph(page, 'exclusions-phone');
    await closePages(stage.browser);
    const viewer = await open('vera');
    await soon(() => viewer.page.getByTestId('excluded').textContent()).toBe('3 users excluded.');
    expect(await viewer.page.locator(ACTIONS).count()).toBe(0);
    expect(await viewer.page.locator('.exclusions button').count()).toBe(0);
  });
});
