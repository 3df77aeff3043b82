import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { close } from '../../src/grab/phases.ts';
import { shardKeys } from '../../src/grab/keys.ts';
import { eventually } from '../support/eventually.ts';
import { stockRain, type StockedRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { overflowing, rehearsed, shows, text } from './player.ts';
import { PHONE, setStage, type Stage } from './stage.ts';

const DESKTOP = { width: 1280, height: 800 };
const TITLES = { 'zh-CN': '新春红包雨', 'en-US': 'Spring Festival rain' } as const;
const LUCKIEST = [{ user: 'm***a', amount: '88.88' }, { user: 'guest-p***', amount: '66.06' }, { user: 'l***i', amount: '52.00' }];
const OWN = [['8.88', 'pending'], ['12.21', 'credited'], ['3.00', 'credited'], ['0.66', 'held']] as const;

describe.skipIf(WITHOUT_CHROMIUM)('what a player sees', () => {
  /** Kept when SCREENSHOTS names a folder. */
  const kept = process.env['SCREENSHOTS'];
  const pictures = kept ?? mkdtempSync(join(tmpdir(), 'rain-test-looks-'));
  let stage: Stage;
  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    stage = await setStage({
      book: {
        podium: async (rainId) => ({ rainId, luckiest: LUCKIEST.map((place, i) => ({ ...place, redPacketId: `${rainId}-${i}` })), final: true }),
        openPurse: async (userId) => ({
          userId, wallet: '15.21', pending: '8.88', settled: true,
          packets: OWN.map(([amount, status], i) => ({ rainId: `rain-${i}`, title: `红包雨 · ${i + 1}`, redPacketId: `p-${i}`, amount, status, at: new Date(Date.UTC(2026, 1, 17, 12, 30 - i)).toISOString() })),
        }),
      },
    });
  });
  afterAll(async () => {
    await stage?.end();
    if (!kept) rmSync(pictures, { recursive: true, force: true });
  });
  afterEach(() => stage?.closeWindows());

  // Each by itself, for instance: -t 'phone in zh-CN'.
  describe.each([['phone', 'zh-CN', PHONE], ['phone', 'en-US', PHONE], ['desktop', 'zh-CN', DESKTOP], ['desktop', 'en-US', DESKTOP]] as const)('on a %s in %s', (device, locale, viewport) => {
    const rainOf = (name: string) => `${name}-${device}-${locale}`;

    async function openAt(name: string, rain: Partial<StockedRain> = {}): Promise<Page> {
      await stockRain(stage.redis, { rainId: rainOf(name), title: TITLES[locale], amounts: Array.from({ length: 20 }, () => '12.21'), ...rain });
      return stage.open(`/?rain=${rainOf(name)}`, { viewport, locale, deviceScaleFactor: 1 });
    }

    /** Nothing may stick out, and the picture shows something. */
    async function photograph(page: Page, name: string, waitMs = 900): Promise<void> {
      await page.waitForTimeout(waitMs); // animations are to be over, or under way: what is looked at is the picture
      expect(await overflowing(page)).toEqual([]);
      const path = join(pictures, `${name}-${device}-${locale}.png`);
      await page.screenshot({ path });
      expect(statSync(path).size).toBeGreaterThan(15_000);
    }

    test('the lobby: the title, a large countdown, who he is, and nothing that can be grabbed yet', async () => {
      const page = await openAt('lobby', { opensInMs: 95_000 });
      await shows(page, 'scheduled');
      expect(await text(page, 'title')).toBe(TITLES[locale]);
      expect(await text(page, 'big')).toMatch(/^1:[23]\d$/);
      expect(await text(page, 'user')).toMatch(/guest-/);
      expect(await page.getByTestId('grab').isDisabled()).toBe(true);
      await photograph(page, 'lobby');
    });

    test('the rain, the win that comes out of its envelope, and the wallet', async () => {
      const page = await openAt('rain');
      await shows(page, 'open');
      expect(await page.getByTestId('left').isVisible()).toBe(true);
      await eventually(async () => Number(await page.getByTestId('sky').getAttribute('data-frames')) > 60, { timeoutMs: 20_000 });
      await photograph(page, 'rain', 2_000);
      await page.getByTestId('grab').click();
      await shows(page, 'won');
      expect(await text(page, 'big')).toBe('¥12.21');
      await photograph(page, 'win', 2_500);
      await page.getByTestId('purse-button').click();
      await page.getByTestId('purse-list').locator('li').first().waitFor();
      expect(await text(page, 'purse-sum')).toBe('¥15.21');
      expect(await page.getByTestId('purse-list').locator('li').count()).toBe(OWN.length);
      await photograph(page, 'wallet');
    });

    test('a miss, with those who were luckier', async () => {
      const page = await openAt('miss', { amounts: ['1.00'] });
      const { packets } = shardKeys(rainOf('miss'), 0);
      await shows(page, 'open');
      await stage.redis.del(packets);
      await stage.redis.lpush(packets, 'not a packet');
      await page.getByTestId('grab').click();
      await shows(page, 'missed');
      await photograph(page, 'miss');
    });

    test('too late: the luckiest, and the next rain', async () => {
      const page = await openAt('late', { closesInMs: 600_000 });
      await shows(page, 'open');
      await close(stage.redis, rainOf('late'), 1, 'early');
      await shows(page, 'too_late');
      await stockRain(stage.redis, { rainId: rainOf('following'), title: TITLES[locale], amounts: ['1.00'], opensInMs: 300_000 });
      await page.getByTestId('luckiest').locator('li').nth(2).waitFor();
      await page.getByTestId('ahead').waitFor();
      await photograph(page, 'late');
      await close(stage.redis, rainOf('following'), 1, 'early');
    });

    test('a lost connection, while the rain goes on', async () => {
      const page = await openAt('lost');
      await shows(page, 'open');
      await stage.stopGateway();
      await page.locator('[data-testid=phone][data-link=lost]').waitFor({ timeout: 20_000 });
      await photograph(page, 'reconnecting', 1_500);
      await stage.restartGateway();
      await page.locator('[data-testid=phone][data-link=up]').waitFor({ timeout: 20_000 });
    });

    test('a rehearsal says that it is one, in the last seconds, too', async () => {
      await stockRain(stage.redis, { rainId: rainOf('rehearsal'), title: TITLES[locale], amounts: ['1.00'], opensInMs: 12_000 });
      const page = await stage.open('/', { viewport, locale });
      await rehearsed(page);
      await page.goto(`${stage.console.url}/?rain=${rainOf('rehearsal')}`);
      await page.getByTestId('rehearsal').waitFor();
      await page.locator('[data-testid=phone][data-final]').waitFor();
      await photograph(page, 'rehearsal', 300);
    });
  });

  test('a phone on its side shows all of it, too', async () => {
    for (const [rainId, opensInMs] of [['side-lobby', 95_000], ['side', -1_000]] as const) await stockRain(stage.redis, { rainId, title: TITLES['en-US'], amounts: ['12.21', '1.00'], opensInMs });
    const page = await stage.open('/?rain=side-lobby', { viewport: { width: PHONE.height, height: PHONE.width } });
    const look = async (name: string) => {
      await page.waitForTimeout(1_500);
      await page.screenshot({ path: join(pictures, `${name}-side.png`) });
      expect(await overflowing(page), name).toEqual([]);
    };
    await shows(page, 'scheduled');
    await look('lobby');
    await page.goto(`${stage.console.url}/?rain=side`);
    await shows(page, 'open');
    await look('rain');
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    await look('win');
  });
});
