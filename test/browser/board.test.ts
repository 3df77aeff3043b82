import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openOperatorDesk, type OperatorDesk } from '../support/operatorDesk.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';

describe.skipIf(WITHOUT_CHROMIUM)('the board of the queues', () => {
  let desk: OperatorDesk;
  let browser: Browser;
  beforeAll(async () => {
    [desk, browser] = await Promise.all([openOperatorDesk(), launchChromium()]);
    desk.barred.add('user-0');
    await desk.wonRain('board', 2);
    await desk.credit();
  });
  afterAll(async () => {
    await browser?.close();
    await desk?.stop();
  });

  test('shows the queues to who is signed in, asks nobody else for anything, and offers nothing to change', async () => {
    const vera = await desk.signIn('vera');
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const [name, value] = vera.cookie.split('=') as [string, string];
    await context.addCookies([{ name, value, url: desk.url }]);
    const page = await context.newPage();
    const [asked, complaints]: [string[], string[]] = [[], []];
    page.on('request', (request) => { asked.push(new URL(request.url()).origin); });
    page.on('console', (message) => { if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text()); });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${desk.url}/desk/queues/`);
    await page.getByText('credit-dead').first().waitFor();
    await page.goto(`${desk.url}/desk/queues/queue/credit-dead?status=waiting`);
    await page.getByText('user-0').first().waitFor();
    const folder = process.env['SCREENSHOTS'];
    if (folder) {
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: `${folder}/board.png` });
    }
    expect(new Set(asked)).toEqual(new Set([desk.url]));
    expect(complaints).toEqual([]);
    await context.close();
  });

  test('lets nobody change a queue, an operator neither: a job put there by hand would be a claim that nobody has won', async () => {
    const opal = await desk.signIn('opal');
    for (const [method, path] of [['PUT', 'credit/pause'], ['PUT', 'credit-dead/empty'], ['PUT', 'credit/obliterate'], ['POST', 'credit/add'], ['PUT', 'credit-dead/clean/waiting'], ['PUT', 'pause']] as const) {
      expect(await opal.ask(method, `/desk/queues/api/queues/${path}`, {}), path).toMatchObject({ status: 403, body: { code: 'look_only' } });
    }
    expect(await desk.queues.dead.getJobCountByTypes('waiting')).toBe(1);
    expect(await desk.queues.credit.isPaused()).toBe(false);
  });
});
