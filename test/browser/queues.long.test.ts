import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { TestConsole } from '../support/servers/testConsole.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { isWiderThanScreen, setConsoleStage, soon } from './consoleStage.ts';
import { misfits } from './fits.ts';
import { goTo, LAPTOP, photograph } from './operator.ts';

const DELAY_MS = 200_000;
const LONG_ERROR =
  'the order service answers 503: upstream connect error or disconnect/reset before headers, reset reason: connection timeout, after 30000 ms at https://rain:geheim@shop.example/orders';

/**
 * Jobs that are stuck in each way: not accepted by the wallet, not accepted by the shop, waiting without a worker,
 * given up.
 */
async function getStuck({ queues, barred, wonRain, credit }: TestConsole): Promise<void> {
  barred.add('user-0');
  await wonRain('spring', 3);
  await credit();
  const claim = (i: number) =>
    JSON.stringify({
      rainId: 'lost-rain',
      redPacketId: `lost-rain-${i}`,
      amount: '1.00',
      userId: `user-${i}`,
      at: '1700000000000',
    });
  await queues.later.add(
    'range',
    {
      rainId: 'lost-rain',
      shard: 0,
      from: 0,
      entries: [claim(0), claim(1)],
      later: { attempts: 12, since: Date.now() - 900_000, chain: 'c', detail: 'the ledger has no rain lost-rain' },
    },
    { jobId: 'lost-rain-0-0-2-0123456789abcdef-again-c-12', delay: DELAY_MS },
  );
  await queues.orders.add(
    'range',
    { saleId: 'flash', from: 0, entries: ['a'] },
    { jobId: 'flash-0-1-0123456789abcdef', timestamp: Date.now() - 180_000 },
  );
  await queues.ordersLater.addBulk(
    Array.from({ length: 52 }, (_, i) => ({
      name: 'range',
      data: {
        saleId: 'flash',
        from: 10 + i,
        entries: ['a', 'b'],
        later: { attempts: 3 + i, since: Date.now() - 60_000, chain: 'c', detail: LONG_ERROR },
      },
      opts: { jobId: `flash-${10 + i}-${11 + i}-0123456789abcdef-again-c-${i}`, delay: DELAY_MS + i * 100 },
    })),
  );
  await eventually(async () => (await queues.later.getJobCountByTypes('delayed')) === 1);
}

const cells = (page: Page, name: string) => page.getByTestId(`queue-${name}`).locator('th, td').allTextContents();

describe.skipIf(WITHOUT_CHROMIUM)('the screen of the queues', () => {
  const stage = setConsoleStage({}, getStuck);

  test('answers what is credited, what is behind, what is tried again and why, and what gave up', async () => {
    const { page, faults } = await stage.open('vera', '#/queues', {
      locale: 'en-GB',
      viewport: LAPTOP,
      timezoneId: 'Asia/Shanghai',
      colorScheme: 'light',
    });
    await page.getByTestId('queue-credit').waitFor();
    expect(await page.getByTestId('flow-credit').textContent()).toMatch(
      /^What was won is being credited.*Nothing waits\./,
    );
    expect(await page.getByTestId('flow-orders').textContent()).toMatch(
      /^No order is handed over: no worker is connected.*1 job is waiting or active\. The oldest job has waited for 3(\.\d)? min\./,
    );
    expect(await page.getByTestId('retried').textContent()).toBe('53 jobs are to be tried again');
    expect(await page.getByTestId('given-up').textContent()).toBe('Given up: 1');
    expect(await page.getByText('Asia/Shanghai').count()).toBe(1);
    expect((await cells(page, 'dead')).join('|')).toMatch(
      /^Wins given upThey are dead letters\.\|–\|–\|–\|1\|.+\|for an operator$/,
    );
    expect(await cells(page, 'ordersEnded')).toEqual([
      'Tell of ended ordersThe shop hears of orders that were cancelled, timed out or refunded.',
      '0',
      '0',
      '0',
      '0',
      '–',
      'nothing to do',
    ]);
    // The first queue that has some.
    const job = page.getByTestId('job');
    await expect.poll(() => job.count()).toBe(1);
    expect((await job.locator('th, td').allTextContents()).join('|')).toMatch(
      /^lost-rain\|2 wins\|12 of 40\|the ledger has no rain lost-rain\|\d+ \w+, \d\d:\d\d:\d\d\|lost-rain-0-0-2-/,
    );
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'queues-laptop');

    await page.getByTestId('queue-ordersLater').getByRole('link').click();
    await expect.poll(() => page.evaluate(() => location.hash)).toBe('#/queues/ordersLater');
    await expect.poll(() => job.count()).toBe(50);
    expect(await job.first().locator('td.error').textContent()).toMatch(
      /after 30000 ms at https:\/\/…@shop\.example\/orders$/,
    );
    expect(await page.getByTestId('page').textContent()).toBe('Page 1 of 2, 52 jobs');
    await page.getByTestId('next-page').click();
    await expect.poll(() => job.count()).toBe(2);
    expect(await page.getByTestId('page').textContent()).toBe('Page 2 of 2, 52 jobs');
    await page.getByTestId('previous-page').click();
    await expect.poll(() => job.count()).toBe(50);

    await page.getByTestId('queue-dead').getByRole('link').click();
    await expect.poll(() => page.getByTestId('letter').count()).toBe(1);
    await goTo(page, '#/queues/credit');
    await page.getByText('No job is to be tried again').waitFor();
    expect(faults).toEqual([]);
  });

  test.each([
    { locale: 'zh-CN', colorScheme: 'dark', viewport: { width: 320, height: 568 } },
    { locale: 'en-GB', colorScheme: 'light', viewport: { width: 320, height: 568 } },
    { locale: 'zh-CN', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
    { locale: 'en-GB', colorScheme: 'dark', viewport: { width: 3840, height: 2160 } },
  ] as const)('fits $viewport.width px in $locale, $colorScheme', { timeout: 120_000 }, async (look) => {
    const narrow = look.viewport.width === 320;
    const { page, faults } = await stage.open('vera', '#/queues/ordersLater', {
      ...look,
      ...(narrow && { hasTouch: true }),
      reducedMotion: 'reduce',
    });
    await soon(() => page.getByTestId('job').count()).toBe(50);
    await photograph(
      page,
      `queues-${look.locale}-${look.viewport.width}-${look.colorScheme}`,
      narrow ? 'phone' : undefined,
    );
    expect(await isWiderThanScreen(page)).toBe(false);
    if (narrow) expect(await misfits(page)).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('the former address leads to it, and its figures refresh by themselves', async () => {
    const { page, faults } = await stage.open('vera', '#/queues', { locale: 'en-GB', viewport: LAPTOP });
    await page.goto(`${stage.testConsole.url}/console/queues/`);
    await page.getByTestId('queue-credit').waitFor();
    expect(new URL(page.url()).hash).toBe('#/queues');
    await stage.testConsole.queues.ordersEnded.add(
      'ended',
      { saleId: 'flash', ended: [{ id: 'flash-1', userId: 'ann', status: 'cancelled' }] },
      { jobId: 'ended', delay: DELAY_MS },
    );
    await soon(async () => (await cells(page, 'ordersEnded')).at(-1)).toBe('no worker is connected');
    await stage.testConsole.queues.credit.pause();
    await soon(() => page.getByTestId('flow-credit').textContent()).toContain(
      'Nothing is credited: the queue is paused',
    );
    await stage.testConsole.queues.credit.resume();
    await soon(() => page.getByTestId('flow-credit').textContent()).toContain('What was won is being credited');
    expect(faults).toEqual([]);
  });
});
