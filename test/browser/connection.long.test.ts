import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createGuestTokens } from '../../src/console/guests.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { dial, SECRET } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { shows, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('a page whose connection fails', () => {
  /** How far the clock that signs guest tokens is behind. */
  let tokensBehindMs = 0;
  let tokensIssued = 0;
  let stage: Stage;
  beforeAll(async () => {
    const guests = createGuestTokens({ secret: SECRET, now: () => Date.now() - tokensBehindMs });
    stage = await setStage({
      guests: {
        ...guests,
        issue(nickname) {
          tokensIssued++;
          return guests.issue(nickname);
        },
        renew(former) {
          tokensIssued++;
          return guests.renew(former);
        },
      },
    });
  });
  afterAll(() => stage?.end());
  afterEach(async () => {
    tokensBehindMs = 0;
    await stage?.closeWindows();
  });

  async function openAt(rainId: string): Promise<Page> {
    await stockRain(stage.redis, { rainId, amounts: ['12.21', '0.50'] });
    const page = await stage.open(`/?rain=${rainId}`);
    await shows(page, 'open');
    return page;
  }

  test('[R6] a tap while the gateway is down is sent when it is back, and wins', async () => {
    const page = await openAt('away');
    await stage.stopGateway();
    await eventually(async () => (await text(page, 'note')) === 'Connection lost, reconnecting …');
    await page.getByTestId('grab').click();
    await shows(page, 'asking');
    await stage.restartGateway();
    await shows(page, 'won');
    expect(await text(page, 'note')).toBe('');
    expect(await stage.redis.llen(shardKeys('away', 0).claims)).toBe(1);
  });

  test('[R6] the player does not notice a gateway restart: no note is shown, and a tap in between wins', async () => {
    const page = await openAt('restarted');
    await page.clock.install();
    await page.reload();
    await shows(page, 'open');
    await page.evaluate(() => {
      const note = document.querySelector('[data-testid=note]')!;
      new MutationObserver(() => {
        note.setAttribute('data-said', `${note.getAttribute('data-said') ?? ''}${note.textContent}`);
      }).observe(note, { childList: true, characterData: true, subtree: true });
    });
    // The page's clock is stopped, so that it can reconnect neither before the tap nor before the gateway is back.
    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 500));
    await stage.stopGateway();
    await page.getByTestId('grab').click();
    await page.clock.runFor(50);
    await shows(page, 'asking');
    await stage.restartGateway();
    await page.clock.resume();
    await shows(page, 'won');
    expect(await page.getByTestId('note').getAttribute('data-said')).toBeNull();
  });

  test('[R6] a win without a received answer is shown as such, without another tap; a reload shows it as an old win', async () => {
    const page = await openAt('won-while-away');
    const user = await userOf(page);
    await stage.stopGateway();
    await page.locator('[data-testid=phone][data-link=lost]').waitFor();
    const elsewhere = await openGateway(stage.testRedis.url);
    const other = await dial(elsewhere.url, user);
    other.say({ type: 'grab', rainId: 'won-while-away' });
    const { amount } = await other.next('result');
    await other.leave();
    await elsewhere.close();
    await stage.restartGateway();
    await shows(page, 'won');
    expect([await text(page, 'big'), await page.getByTestId('won-while-away').isVisible()]).toEqual([
      `¥${amount}`,
      true,
    ]);
    await page.reload();
    await shows(page, 'won');
    expect([await userOf(page), await text(page, 'big'), await page.getByTestId('won-while-away').isVisible()]).toEqual(
      [user, `¥${amount}`, false],
    );
  });

  test('[R6] a grab whose reply was lost is sent again and returns the same packet', async () => {
    const page = await openAt('lost-reply');
    const results: string[] = [];
    await page.routeWebSocket(/\/v1$/, (socket) => {
      const gateway = socket.connectToServer();
      gateway.onMessage((frame) => {
        if (!String(frame).includes('"result"')) return socket.send(frame);
        results.push(String(frame));
        if (results.length > 1) socket.send(frame);
      });
    });
    await page.reload();
    await shows(page, 'open');
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    const [lost, heard] = results.map(
      (frame) => JSON.parse(frame) as { code: string; amount: string; redPacketId: string },
    );
    expect(lost!.code).toBe('0');
    expect(heard).toMatchObject({ code: '1', amount: lost!.amount, redPacketId: lost!.redPacketId });
    expect(await text(page, 'big')).toBe(`¥${lost!.amount}`);
  });

  test('[R6] while Redis does not answer, the page shows "busy" and retries; then it has one packet', async () => {
    const page = await openAt('stalled');
    process.kill(stage.testRedis.pid, 'SIGSTOP');
    try {
      await page.getByTestId('grab').click();
      await eventually(async () => (await text(page, 'note')).startsWith('Very busy'));
      await shows(page, 'asking');
    } finally {
      process.kill(stage.testRedis.pid, 'SIGCONT');
    }
    await shows(page, 'won');
    expect(await stage.redis.llen(shardKeys('stalled', 0).claims)).toBe(1);
  });

  test('[R9] an expired token is replaced, and the guest keeps the user id', async () => {
    const issuedBefore = tokensIssued;
    tokensBehindMs = 2 * 60 * 60 * 1000 - 4_000;
    const page = await openAt('expired');
    const user = await userOf(page);
    tokensBehindMs = 0;
    await eventually(() => tokensIssued >= issuedBefore + 2);
    await eventually(() => stage.gateway.sockets() === 1);
    expect(await userOf(page)).toBe(user);
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    expect(await stage.redis.hexists(shardKeys('expired', 0).claimed, user)).toBe(1);
  });
});
