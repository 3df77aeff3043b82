import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { findBarriers } from '../browser/axe.ts';
import { launchChromium, WITHOUT_CHROMIUM } from '../browser/chromium.ts';
import { eventually } from '../support/eventually.ts';
import { openShops, openSystem } from './shop.ts';

const openShop = await openShops();
const SHOTS = process.env['RAIN_SCREENSHOTS'];

/** Widest part beyond the window, CSS pixels. */
const overflow = (window: Page) =>
  window.evaluate('document.documentElement.scrollWidth - innerWidth') as Promise<number>;

test('has one script tag, nothing inline, and nothing of another origin', () => {
  const page = readFileSync(new URL('../../examples/h5/index.html', import.meta.url), 'utf8');
  expect(page.match(/<script/g)).toHaveLength(1);
  expect(page).not.toMatch(/https?:\/\/|style="|<script>| on\w+=/);
  expect(page).toMatch(/viewport-fit=cover/);
});

test.skipIf(WITHOUT_CHROMIUM)(
  "a phone signs in at the shop, waits for the rain, taps, and has the money in the shop's wallet",
  { timeout: 300_000 },
  async () => {
    const shop = await openShop(['小安']);
    const system = await openSystem(shop.url);
    await shop.start(system);
    const browser = await launchChromium();
    const context = await browser.newContext({
      viewport: { width: 320, height: 568 },
      isMobile: true,
      hasTouch: true,
      deviceScaleFactor: 2,
      reducedMotion: 'reduce',
    });
    onTestFinished(() => browser.close());
    const window = await context.newPage();
    const complaints: string[] = [];
    window.on('pageerror', ({ message }) => complaints.push(message));
    window.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
    });
    const look = async (name: string) => {
      if (SHOTS) await window.screenshot({ path: join(SHOTS, `h5-${name}.png`) });
      expect([await overflow(window), await findBarriers(window)], name).toEqual([0, []]);
    };
    const told = (text: string) =>
      eventually(async () => expect(await window.textContent('[role=status]')).toContain(text), { timeoutMs: 30_000 });

    await window.goto(shop.url);
    await told('请先登录');
    await look('sign-in');
    await window.fill('[name=name]', '小安');
    await window.fill('[name=password]', 'wrong');
    await window.tap('form button');
    await told('账号或密码不对');
    await window.fill('[name=password]', 'open sesame');
    await window.tap('form button');
    await told('还没有安排');

    const id = await system.rain(
      'create',
      '--budget',
      '8.88',
      '--packets',
      '1',
      '--title',
      '新春红包雨',
      '--start',
      '+60s',
      '--duration',
      '120s',
      '--load',
    );
    await told('开始后点“開”');
    await eventually(async () =>
      expect([await window.textContent('h1'), await window.textContent('#when')]).toEqual([
        '新春红包雨',
        expect.stringMatching(/^还有 0 分 \d+ 秒开始$/),
      ]),
    );
    await look('waiting');
    await system.rain('start', id);
    await window.waitForSelector('#open:enabled');
    await look('open');
    await window.tap('#open');
    await told('8.88 元已到账');
    await eventually(async () => expect(await window.textContent('#wallet')).toBe('我的钱包 8.88 元'));
    expect(await window.isDisabled('#open')).toBe(true);
    await look('credited');
    for (const [width, height] of [
      [568, 320],
      [1_024, 1_366],
      [3_840, 2_160],
    ] as const) {
      await window.setViewportSize({ width, height });
      await look(`credited-${width}`);
    }
    expect(complaints).toEqual([]);
    // A page that comes back is told again.
    await window.reload();
    await told('8.88 元已到账');
  },
);
