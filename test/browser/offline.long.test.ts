import { onTestFinished, afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { findBarriers } from './axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { shows } from './player.ts';
import { openScriptedPage, snapshotOf } from './scriptedPage.ts';

const kept = async () =>
  Promise.all(
    (await caches.keys()).map(async (name) => [
      name,
      (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname),
    ]),
  );

describe.skipIf(WITHOUT_CHROMIUM)('without a network', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  test('the page says so, in the words of the player; nothing of the app or the API is kept, and the other pages are left alone', async () => {
    const { page, address } = await openScriptedPage(browser, {
      rain: snapshotOf('evening'),
      window: { serviceWorkers: 'allow' },
      event: 'Annual <party>',
    });
    onTestFinished(async () => page.context().setOffline(false));
    await shows(page, 'open');
    await page.evaluate(async () => {
      await navigator.serviceWorker.ready;
    });
    await eventually(
      async () =>
        await page.evaluate(
          async () => (await navigator.serviceWorker.getRegistration())?.active?.state === 'activated',
        ),
    );
    expect(await page.evaluate(kept)).toEqual([['rain.offline', ['/rain.offline']]]);
    const worker = await page.request.get(`${address}/service-worker.js`);
    expect([worker.headers()['cache-control'], worker.headers()['content-type']]).toEqual([
      'no-cache',
      expect.stringMatching(/javascript/),
    ]);
    expect((await page.request.get(address)).headers()['content-security-policy']).toContain("worker-src 'self'");

    await page.reload();
    await shows(page, 'open');
    await page.context().setOffline(true);
    await page.reload();
    await page.getByText('No connection').waitFor();
    expect([await page.title(), await page.locator('p').first().textContent()]).toEqual([
      'Annual <party>',
      'Annual <party>',
    ]);
    expect(await findBarriers(page)).toEqual([]);
    await page.goto(`${address}/?rain=evening`);
    await page.context().setOffline(false);
    await page.getByRole('link', { name: 'Try again' }).click();
    await shows(page, 'open');
    expect(await page.evaluate(kept)).toEqual([['rain.offline', ['/rain.offline']]]);
    await page.context().setOffline(true);
    await expect(page.goto(`${address}/hall`), "the worker is for the player's page").rejects.toThrow(
      'ERR_INTERNET_DISCONNECTED',
    );
  });
});
