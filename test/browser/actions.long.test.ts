import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { pause } from '../../src/store/transitions.ts';
import { resumeRain } from '../../src/operator/transitions.ts';
import { claimLog } from '../support/operatorContext.ts';
import { openTestConsole, PASSWORD, type TestConsole } from '../support/servers/testConsole.ts';
import { findBarriers } from './axe.ts';
import { OPERATOR_PAGE } from './built-page.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { ACTIONS, goTo, LAPTOP, photograph, screensOf, signIn } from './operator.ts';
import { openPage } from './windows.ts';

describe.skipIf(WITHOUT_CHROMIUM)('what an operator does on the page, on real servers', () => {
  let testConsole: TestConsole;
  let browser: Browser;
  let page: Page;
  const faults: string[] = [];
  beforeAll(async () => {
    [testConsole, browser] = await Promise.all([openTestConsole({ consoleFolder: OPERATOR_PAGE }), launchChromium()]);
    page = await openPage(browser, { locale: 'en-GB', viewport: LAPTOP, reducedMotion: 'reduce' });
    page.on('pageerror', ({ message }) => faults.push(message));
    await page.goto(`${testConsole.url}/console/`);
    await signIn(page, 'opal', PASSWORD);
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));
  afterAll(async () => {
    await browser?.close();
    await testConsole?.stop();
  });

  const soon = <T>(look: () => T) => expect.poll(look, { timeout: 40_000, interval: 100 });
  const dialog = () => page.locator('dialog');
  /** Writes the wallet's payout request to the ledger, as the worker would. */
  const asked = async (rainId: string) => {
    await testConsole.ledger.assignPayout(rainId, 'webhook');
    await testConsole.ledger.reserve(await claimLog(testConsole, rainId));
  };

  test('[R5] a dead letter that a wallet may have paid is discarded only if the operator confirms that it has not paid', async () => {
    testConsole.barred.add('user-0');
    await testConsole.wonRain('doubt', 1);
    await asked('doubt');
    await testConsole.credit();
    await goTo(page, '#/dead');
    await page.getByTestId('letter').getByText('Discard', { exact: true }).click();
    await page.getByTestId('why-discarded').fill('he has left us');
    expect(await dialog().getByRole('switch').count(), 'asked before there is a doubt').toBe(0);
    await page.getByTestId('act').click();
    await soon(() => dialog().textContent()).toContain('the wallet may have paid');
    expect(await page.getByTestId('act').isDisabled()).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'not-paid');
    expect((await testConsole.ledger.book('doubt'))!.discarded.count, 'nothing was given back').toBe(0);
    await dialog().getByText('The wallet has certainly not paid it').click();
    await page.getByTestId('act').click();
    await soon(() => page.getByTestId('letter').count()).toBe(0);
    expect((await testConsole.ledger.book('doubt'))!.discarded).toEqual({ count: 1, cents: 100n });
  });

  test('a rain that a wallet pays is compared with its statement, and the differences are downloaded', async () => {
    testConsole.barred.clear();
    await testConsole.wonRain('compared', 2);
    await asked('compared');
    await testConsole.credit();
    await goTo(page, '#/rains/compared');
    const [first, second] = await claimLog(testConsole, 'compared');
    const statement = (...ids: string[]) =>
      page.getByTestId('statement').setInputFiles({
        name: 'wallet.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(['id,amount,time', ...ids.map((id) => `${id},1.00,1795000000000`)].join('\n')),
      });
    await statement(first!.redPacketId, second!.redPacketId);
    await page.getByTestId('reconcile').click();
    await soon(() => page.getByTestId('reconciled').textContent()).toContain('agree on every payment');
    await statement(first!.redPacketId);
    await page.getByTestId('reconcile').click();
    await soon(() => page.getByTestId('reconciled').textContent()).toContain('do NOT agree');
    await soon(() => page.getByTestId('difference').textContent()).toContain(second!.redPacketId);
    expect(await findBarriers(page)).toEqual([]);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByTestId('reconciled-csv').click()]);
    expect(file.suggestedFilename()).toBe('reconciliation-compared.csv');
    expect(await text(await file.createReadStream())).toContain(`book_only,${second!.redPacketId}`);
    await statement('a,b');
    await page.getByTestId('reconcile').click();
    await soon(() => page.getByRole('alert').textContent()).toContain('line 2');
  });

  test('[R5] a requeued dead letter is credited once the cause is fixed', async () => {
    testConsole.barred.add('user-0');
    await testConsole.wonRain('again', 1);
    await testConsole.credit();
    testConsole.barred.clear();
    await goTo(page, '#/rains');
    await goTo(page, '#/dead');
    await page.getByTestId('letter').getByText('Requeue').click();
    await soon(() => dialog().textContent()).toContain('user-0 is credited with ¥1.00');
    await page.getByTestId('act').click();
    await soon(() => page.getByTestId('letter').count()).toBe(0);
    await testConsole.credit();
    expect((await testConsole.ledger.credits('again')).map(({ userId, amountCents }) => [userId, amountCents])).toEqual(
      [['user-0', 100n]],
    );
  });

  test('[R14] a claim that the plan does not hold is discarded without a promise that money goes back', async () => {
    await testConsole.wonRain('false', 0);
    await testConsole.log('false', {
      rainId: 'false',
      redPacketId: 'false-0',
      amount: '9.00',
      userId: 'thief',
      at: '1999999999999',
    });
    await testConsole.credit();
    await goTo(page, '#/rains');
    await goTo(page, '#/dead');
    expect(await page.getByTestId('letter').textContent()).toContain('not_in_plan');
    await page.getByTestId('letter').getByText('Discard', { exact: true }).click();
    await soon(() => dialog().textContent()).toContain('No money moves');
    await page.getByTestId('why-discarded').fill('written to Redis by a stranger');
    await page.getByTestId('act').click();
    await soon(() => page.getByTestId('letter').count()).toBe(0);
    expect((await testConsole.ledger.book('false'))!).toMatchObject({ discarded: { count: 0 }, discardedClaims: 1 });
  });

  test('a user is blocked and unblocked', async () => {
    await goTo(page, '#/blocks');
    await page.getByTestId('who-blocked').fill('mallory');
    await page.getByTestId('block-act').click();
    await soon(() => page.locator('.field.refused').count()).toBeGreaterThan(0);
    await page.getByTestId('why-blocked').fill('a hundred taps a second');
    await page.getByTestId('block-act').click();
    await soon(() => page.getByTestId('block').textContent()).toContain('mallory');
    await page.getByTestId('block').getByText('Unblock', { exact: true }).click();
    await page.getByTestId('act').click();
    await soon(() => page.getByTestId('block').count()).toBe(0);
  });

  test('the data of a user is exported, and a user who takes part in nothing is erased', async () => {
    await goTo(page, '#/users');
    await page.getByTestId('user-id').fill('nobody-at-all');
    await page.getByTestId('user-export').click();
    await soon(() => page.getByTestId('user-data').textContent()).toContain('"userId": "nobody-at-all"');
    expect(await testConsole.ledger.latestActions({ limit: 1 })).toMatchObject([
      { verb: 'export-user', actor: 'console:opal' },
    ]);
    await page.getByTestId('user-erase').click();
    await page.getByTestId('act').click();
    await soon(() => page.getByRole('status').last().textContent()).toContain('Erased: ');
    expect(await testConsole.ledger.latestActions({ limit: 1 })).toMatchObject([
      { verb: 'erase-user', actor: 'console:opal' },
    ]);
  });

  test('a switch is set with a reason, and returned to auto', async () => {
    await goTo(page, '#/switches');
    const ticker = page.getByTestId('switch-ticker');
    const now = () => ticker.getByTestId('switch-now').textContent();
    expect(await now()).toBe('Players see who else has won, except at a gateway under pressure.');
    await ticker.getByText('Off', { exact: true }).click();
    expect(await page.getByTestId('act').isDisabled()).toBe(true);
    await page.getByTestId('why-switched').fill('the hall is full');
    await page.getByTestId('act').click();
    await soon(() => ticker.getAttribute('data-position')).toBe('off');
    await soon(() => ticker.textContent()).toContain('the hall is full');
    expect(await now()).toBe('Players do not see who else has won.');
    await ticker.getByText('Auto', { exact: true }).click();
    await page.getByTestId('act').click();
    await soon(() => ticker.getAttribute('data-position')).toBe('auto');
  });

  test('a rain is topped up with packets of equal amounts', async () => {
    await testConsole.wonRain('more', 0);
    await goTo(page, '#/rains/more');
    await page.getByTestId('verb-topUp').click();
    await page.getByTestId('top-budget').fill('6');
    await page.getByTestId('top-packets').fill('3');
    await photograph(page, 'top-up-before');
    await dialog().getByText('All alike').click();
    await soon(() => dialog().textContent()).toContain('6.00 leaves the operator account');
    await photograph(page, 'top-up-alike');
    await page.getByTestId('act').click();
    await soon(() => page.getByTestId('figure-budget').first().textContent()).toBe('¥16.00');
    const [topUp] = (await testConsole.ledger.rain('more'))!.topUps;
    expect(topUp).toMatchObject({ budgetCents: 600n, packets: 3, split: { split: { method: 'even' } } });
  });

  test('a rain that the audit has paused says why, on its page and live', async () => {
    await testConsole.wonRain('lied', 0);
    await pause(testConsole.redis, 'lied', 1);
    await testConsole.ledger.record({
      actor: 'auditor',
      verb: 'pause',
      rainId: 'lied',
      details: { reason: 'gift was won as 50.00 by thief' },
    });
    for (const hash of ['#/rains/lied', '#/rains/lied/live']) {
      await goTo(page, hash);
      await soon(() => page.getByTestId('pause-reason').textContent()).toContain('gift was won as 50.00 by thief');
    }
    expect(await findBarriers(page)).toEqual([]);
    await resumeRain(testConsole, 'lied');
    await soon(() => page.getByTestId('pause-reason').count()).toBe(0);
  });

  test('a viewer sees every screen and no button that would be refused', async () => {
    await testConsole.wonRain('seen', 0);
    await goTo(page, '#/rains/seen');
    expect(await page.locator(ACTIONS).count(), 'what an operator is offered').toBeGreaterThan(0);
    await page.context().clearCookies();
    await page.reload();
    await signIn(page, 'vera', PASSWORD);
    for (const hash of screensOf('seen')) {
      await goTo(page, hash);
      expect(await page.locator(ACTIONS).count(), hash).toBe(0);
    }
  });
});
