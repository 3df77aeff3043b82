import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { close } from '../../src/grab/phases.ts';
import { shardKeys } from '../../src/grab/keys.ts';
import { eventually } from '../support/eventually.ts';
import { stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { overhear, rehearsed, shows, text } from './player.ts';
import { setStage, type Stage } from './stage.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const OWN = { title: 'Rain', redPacketId: 'p', at: '2026-02-17T12:00:00.000Z' };

/** What axe-core has against the page as it stands, told so that one finds it. */
async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  // Halfway through an animation a colour is not yet what it will be.
  await page.evaluate(() => Promise.all(document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity).map(({ finished }) => finished.catch(() => {}))));
  const { violations, passes } = await page.evaluate(() => (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run());
  expect(passes.length, 'axe-core found something to judge').toBeGreaterThan(10);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary}`));
}

const focused = (page: Page) => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['testid']);

describe.skipIf(WITHOUT_CHROMIUM)('a player who does not see, or does not point', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({
      book: {
        podium: async (rainId) => ({ rainId, luckiest: [{ user: 'm***a', amount: '8.00', redPacketId: 'x' }], final: true }),
        openPurse: async (userId) => ({
          userId, wallet: '15.21', pending: '8.88', settled: true,
          packets: (['pending', 'credited', 'held'] as const).map((status, i) => ({ ...OWN, rainId: `r-${i}`, amount: '1.00', status })),
        }),
      },
    });
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test.each([['zh-CN'], ['en-US']])('axe-core finds nothing against lobby, rain, win, wallet, miss and the end, in %s', async (locale) => {
    const rainOf = (name: string) => `${name}-${locale}`;
    await stockRain(stage.redis, { rainId: rainOf('axe-lobby'), amounts: ['1.00'], opensInMs: 600_000, closesInMs: 900_000 });
    await stockRain(stage.redis, { rainId: rainOf('axe'), amounts: ['1.00', '2.00'] });
    await stockRain(stage.redis, { rainId: rainOf('axe-miss'), amounts: ['1.00'] });
    const page = await stage.open(`/?rain=${rainOf('axe-lobby')}`, { locale });
    await rehearsed(page);
    await page.reload();
    await page.getByTestId('rehearsal').waitFor();
    expect(await barriers(page), 'lobby').toEqual([]);
    const go = async (name: string) => page.goto(`${stage.console.url}/?rain=${rainOf(name)}`);

    await go('axe');
    await shows(page, 'open');
    expect(await barriers(page), 'rain').toEqual([]);
    await page.getByTestId('grab').click();
    await shows(page, 'won');
    await page.locator('[data-testid=big]:not([data-counting])').waitFor();
    expect(await barriers(page), 'win').toEqual([]);
    await page.getByTestId('purse-button').click();
    await page.getByTestId('purse-list').locator('li').first().waitFor();
    expect(await barriers(page), 'wallet').toEqual([]);

    await go('axe-miss');
    await shows(page, 'open');
    const { packets } = shardKeys(rainOf('axe-miss'), 0);
    await stage.redis.del(packets);
    await stage.redis.lpush(packets, 'not a packet');
    await page.getByTestId('grab').click();
    await shows(page, 'missed');
    expect(await barriers(page), 'miss').toEqual([]);
    await close(stage.redis, rainOf('axe-miss'), 1, 'early');
    await page.reload();
    await shows(page, 'too_late');
    await page.getByTestId('luckiest').waitFor();
    expect(await barriers(page), 'the end').toEqual([]);
  }, 120_000);

  test('by keyboard alone: sound off, wallet open and closed again, a packet grabbed, and no focus lost on the way', async () => {
    await stockRain(stage.redis, { rainId: 'keys', amounts: ['4.00', '5.00'] });
    const page = await stage.open('/?rain=keys');
    const said = await overhear(page);
    await shows(page, 'open');
    await page.getByTestId('sound').focus();
    await page.keyboard.press('Space');
    expect(await page.getByTestId('sound').getAttribute('aria-pressed')).toBe('false');
    await page.getByTestId('purse-button').focus();
    await page.keyboard.press('Enter');
    await page.getByTestId('purse-list').locator('li').first().waitFor();
    expect(await page.evaluate(() => document.querySelector('dialog')!.contains(document.activeElement))).toBe(true);
    await page.keyboard.press('Escape');
    await eventually(async () => await focused(page) === 'purse-button');
    // None of these keys was a tap.
    expect(said.filter(({ type }) => type === 'grab')).toEqual([]);
    await page.getByTestId('grab').focus();
    await page.keyboard.press('Space');
    await shows(page, 'won');
    expect(await focused(page)).toBe('message');
    await page.reload();
    await shows(page, 'won');
    expect(await page.getByTestId('sound').getAttribute('aria-pressed')).toBe('false');
  });

  test('a screen reader hears what happens, once each, and not every second of a countdown', async () => {
    await stockRain(stage.redis, { rainId: 'spoken', amounts: ['4.00', '5.00'], opensInMs: 14_000 });
    const page = await stage.open('/?rain=spoken');
    await shows(page, 'scheduled');
    await page.evaluate(() => {
      const spoken = document.querySelector('[data-testid=spoken]')!;
      const heard: string[] = [spoken.textContent!];
      Object.assign(globalThis, { heard });
      new MutationObserver(() => heard.push(spoken.textContent!)).observe(spoken, { childList: true, characterData: true, subtree: true });
    });
    await shows(page, 'open', 30_000);
    await page.keyboard.press('Enter');
    await shows(page, 'won');
    await eventually(async () => await text(page, 'spoken') !== '');
    const heard = await page.evaluate(() => (globalThis as unknown as { heard: string[] }).heard.map((sentence) => sentence.trim()));
    expect(heard[0]).toBe('The rain starts in. Get your thumb ready.');
    expect(heard.filter((sentence) => sentence !== 'Opening …. Your tap is on its way.').slice(1)).toEqual([
      '10 seconds left', 'Tap a red packet!. One packet each. The first tap counts.', expect.stringMatching(/^You got a red packet: ¥[45]\.00\./),
    ]);
  });
});
