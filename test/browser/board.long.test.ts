import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';

describe.skipIf(WITHOUT_CHROMIUM)('the queue board', () => {
  let testConsole: TestConsole;
  let browser: Browser;
  beforeAll(async () => {
    [testConsole, browser] = await Promise.all([openTestConsole(), launchChromium()]);
    testConsole.barred.add('user-0');
    await testConsole.wonRain('board', 2);
    await testConsole.credit();
  });
  afterAll(async () => {
    await browser?.close();
    await testConsole?.stop();
  });

  test('shows the queues to signed-in accounts, loads nothing from other hosts, and is read-only', async () => {
    const vera = await testConsole.signIn('vera');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const [name, value] = vera.cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: testConsole.url }]);
    const page = await context.newPage();
    const [asked, complaints]: [string[], string[]] = [[], []];
    page.on('request', (request) => { asked.push(new URL(request.url()).origin); });
    page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text()); });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${testConsole.url}/console/queues/`);
    await page.getByText('credit-dead').first().waitFor();
    await page.goto(`${testConsole.url}/console/queues/queue/credit-dead?status=waiting`);
    await page.getByText('user-0').first().waitFor();
    const folder = process.env['SCREENSHOTS'];
    if (folder) {
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: `${folder}/board.png` });
    }
    expect(new Set(asked)).toEqual(new Set([testConsole.url]));
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('lets nobody change a queue, not even an operator: a job added by hand would be a claim that nobody has won', async () => {
    const opal = await testConsole.signIn('opal');
    for (const [method, path] of [['PUT', 'credit/pause'], ['PUT', 'credit-dead/empty'], ['PUT', 'credit/obliterate'], ['POST', 'credit/add'], ['PUT', 'credit-dead/clean/waiting'], ['PUT', 'pause']] as const) {
      expect(await opal.ask(method, `/console/queues/api/queues/${path}`, {}), path).toMatchObject({ status: 403, body: { code: 'look_only' } });
    }
    expect(await testConsole.queues.dead.getJobCountByTypes('waiting')).toBe(1);
    expect(await testConsole.queues.credit.isPaused()).toBe(false);
  });
});
