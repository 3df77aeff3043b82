import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { deploy, type Deployment } from './deployment.ts';
import { shows, tapPackets, text, userOf } from './player.ts';
import { PHONE } from './stage.ts';

const DESKTOP = { width: 1280, height: 900 };

describe.skipIf(WITHOUT_CHROMIUM)('the whole path, from the thumb to the book', () => {
  /** Kept when SCREENSHOTS names a folder. */
  const pictures = process.env['SCREENSHOTS'] ?? mkdtempSync(join(tmpdir(), 'rain-test-screenshots-'));
  let system: Deployment;
  let browser: Browser;
  beforeAll(async () => {
    system = await deploy();
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await system?.end();
    if (!process.env['SCREENSHOTS']) rmSync(pictures, { recursive: true, force: true });
  });

  async function open(viewport: typeof PHONE, locale: string): Promise<Page> {
    const page = await (await browser.newContext({ viewport, locale, hasTouch: true })).newPage();
    await page.goto(system.consoleUrl);
    return page;
  }

  async function photograph(page: Page, name: string): Promise<void> {
    const path = join(pictures, `${name}.png`);
    await page.screenshot({ path });
    expect(statSync(path).size).toBeGreaterThan(10_000);
  }

  async function balanceOf(userId: string): Promise<string | undefined> {
    const client = new pg.Client({ connectionString: system.databaseUrl });
    await client.connect();
    try {
      const { rows } = await client.query<{ balanceCents: string }>('SELECT "balanceCents" FROM "Account" WHERE id = $1', [`user:${userId}`]);
      return rows[0]?.balanceCents;
    } finally {
      await client.end();
    }
  }

  test('[R5] [R6] two guests win, see the amount, see it credited, and it is in the book once', async () => {
    const created = await system.rain('create', '--budget', '24.42', '--packets', '2', '--split', 'even', '--start', '+12s', '--duration', '5m', '--title', '新春红包雨', '--load');
    const rainId = created.trim();
    const players = [await open(PHONE, 'zh-CN'), await open(DESKTOP, 'en-US')];
    for (const [i, page] of players.entries()) {
      await shows(page, 'scheduled');
      await photograph(page, `${i}-scheduled`);
    }
    for (const [i, page] of players.entries()) {
      await shows(page, 'open');
      await photograph(page, `${i}-open`);
      await tapPackets(page);
      await shows(page, 'won');
      expect(await text(page, 'big')).toBe('¥12.21');
    }
    for (const [i, page] of players.entries()) {
      await page.locator('[data-testid=phone][data-credited]').waitFor({ timeout: 20_000 });
      await photograph(page, `${i}-credited`);
      expect(await balanceOf(await userOf(page))).toBe('1221');
      await page.reload();
      await page.locator('[data-testid=phone][data-credited]').waitFor({ timeout: 20_000 });
      expect(new URL(page.url()).searchParams.get('rain')).toBe(rainId);
      expect(await text(page, 'big')).toBe('¥12.21');
    }
    expect(await text(players[0]!, 'detail')).toBe('已入账到你的钱包');
    expect(await text(players[1]!, 'detail')).toBe('It is in your wallet');
    expect(await system.rain('audit', rainId, '--json')).toContain('"adds_up":true');
  });
});
