import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { settleSale } from '../../src/maintenance/settleSale.ts';
import { endSale } from '../../src/operator/sale/transitions.ts';
import { settleRain } from '../../src/operator/settle.ts';
import { closeRain } from '../../src/operator/transitions.ts';
import { findRain } from '../../src/store/rains.ts';
import { openedSale } from '../orders/saleStage.ts';
import type { TestConsole } from '../support/servers/testConsole.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { setConsoleStage, soon } from './consoleStage.ts';

const settle = async (testConsole: TestConsole, saleId: string) =>
  expect(await settleSale(testConsole, saleId, { title: saleId }, {})).toEqual({ outcome: 'settled' });

describe.skipIf(WITHOUT_CHROMIUM)('a rain or a sale on the console, and its audit', () => {
  const stage = setConsoleStage({}, async (testConsole) => {
    await testConsole.wonRain('over', 3);
    await testConsole.credit();
    await closeRain(testConsole, 'over');
    expect(await settleRain(testConsole, 'over', (await findRain(testConsole.redis, 'over'))!)).toEqual({
      outcome: 'settled',
    });
    for (const id of ['sold', 'ending']) {
      await openedSale(testConsole, id);
      expect(await endSale(testConsole, id)).toMatchObject({ ok: true });
    }
    await settle(testConsole, 'sold');
  });

  /** Nothing is refreshed by time: each request follows from the address or from an answer. */
  async function open(hash: string, prepare: (page: Page) => Promise<unknown> = async () => {}) {
    const { page, faults } = await stage.open('vera', '#/rains');
    await page.addInitScript(() => {
      const later = setTimeout;
      Object.assign(globalThis, {
        setTimeout: (act: () => void, ms = 0) => later(act, ms < 1_000 ? ms : 2 ** 30),
      });
    });
    await page.goto('about:blank');
    const [asked, failed]: [string[], string[]] = [[], []];
    page.on('request', (request) => asked.push(request.url().split('/api/console/')[1] ?? ''));
    page.on('requestfailed', (request) => failed.push(request.url()));
    await prepare(page);
    await page.goto(`${stage.testConsole.url}/console/${hash}`);
    return { page, faults, asked, failed };
  }

  test.each([
    ['rains/over', 'equation'],
    ['sales/sold', 'adds-up'],
  ])('%s, settled, is audited once when it is opened, and no request is given up', async (path, audited) => {
    const { page, faults, asked, failed } = await open(`#/${path}`);
    await page.getByTestId(audited).waitFor();
    expect(asked.filter((url) => url.endsWith('/audit') || url.startsWith('actions')).toSorted()).toEqual([
      `actions?rainId=${path.split('/')[1]}`,
      `${path}/audit`,
    ]);
    expect([failed, faults]).toEqual([[], []]);
  });

  test('a sale that is settled between two requests shows the units of one moment', async () => {
    const { page } = await open('#/sales/ending', (opened) =>
      opened.route('**/sales/ending/audit', async (route) => {
        await settle(stage.testConsole, 'ending');
        await route.continue();
      }),
    );
    const counts = () => page.getByTestId('item').first().locator('td').allTextContents();
    // Units, left, waiting, paid, returned.
    await soon(async () => (await counts()).slice(1, 6)).toEqual(['10', '0', '0', '0', '10']);
    expect(await page.getByTestId('units-tee-returned').textContent()).toBe('10');
  });
});
