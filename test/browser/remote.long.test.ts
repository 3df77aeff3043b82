import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { redisNow } from '../../src/store/rains.ts';
import { createRain } from '../../src/operator/create.ts';
import { loadRain } from '../../src/operator/load.ts';
import { pauseRain } from '../../src/operator/transitions.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { setConsoleStage, soon } from './consoleStage.ts';
import { misfits } from './fits.ts';
import { goTo, LAPTOP, photograph } from './operator.ts';

const SMALL = { width: 320, height: 568 };

describe.skipIf(WITHOUT_CHROMIUM)("the remote control on the host's phone", () => {
  const stage = setConsoleStage();

  const state = (page: Page) => page.getByTestId('state').first().textContent();
  const note = (page: Page) => page.getByTestId('remote-note').textContent();
  const verbsOf = async (rainId: string) => (await stage.testConsole.ledger.actions(rainId)).map(({ verb }) => verb);
  const enabled = (page: Page, verb: string) =>
    page.locator(`[data-testid=remote-${verb}][aria-disabled=false]`).waitFor();

  async function planned(id: string, inMs: number, title = id): Promise<void> {
    const opensAt = (await redisNow(stage.testConsole.redis)) + inMs;
    await createRain(stage.testConsole, {
      id,
      title,
      plan: { budget: '24.00', packets: 24, split: { method: 'even' } },
      opensAt,
      closesAt: opensAt + 600_000,
    });
    await loadRain(stage.testConsole, id);
  }

  async function open(
    hash: string,
    look: {
      locale?: string;
      viewport?: { width: number; height: number };
      as?: string;
      colorScheme?: 'light' | 'dark';
    } = {},
  ) {
    const { as = 'opal', ...options } = look;
    const { page, faults } = await stage.open(as, hash, {
      viewport: SMALL,
      hasTouch: true,
      reducedMotion: 'reduce',
      ...options,
    });
    if (hash.startsWith('#/remote')) await page.getByTestId('remote').waitFor();
    return { page, faults };
  }

  /** A finger on a button. @param ms how long it stays */
  async function press(page: Page, verb: string, until: () => Promise<unknown>): Promise<void> {
    const box = (await page.getByTestId(`remote-${verb}`).boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await until();
    await page.mouse.up();
  }

  test(
    'a rain is started, paused, resumed and ended by held buttons, each once; a slip does nothing',
    { timeout: 240_000 },
    async () => {
      await planned('evening', 3_600_000, 'Evening · 年会');
      await planned('second', 7_200_000, 'The second one');
      const { page, faults } = await open('#/remote');
      await enabled(page, 'start');
      expect([await page.locator('h1').textContent(), await state(page)]).toEqual(['Evening · 年会', 'Scheduled']);
      await photograph(page, 'scheduled', 'remote');

      await page.getByTestId('remote-start').tap();
      await soon(() => note(page)).toBe('Nothing was done: hold the button for a second.');
      // The finger slides off.
      await press(page, 'start', async () => {
        await page.mouse.move(5, 5);
      });
      expect(await verbsOf('evening')).toEqual(['create', 'load']);

      await press(page, 'start', async () => {
        await soon(() => page.getByTestId('remote-start').getAttribute('data-holding')).toBe('true');
        await photograph(page, 'holding', 'remote');
        await soon(() => verbsOf('evening')).toContain('start');
      });
      await soon(() => note(page)).toBe('It starts in 10 seconds.');
      await photograph(page, 'countdown', 'remote');
      await soon(() => state(page)).toBe('Raining');
      await enabled(page, 'pause');
      await photograph(page, 'raining', 'remote');
      expect(await misfits(page)).toEqual([]);
      expect(await findBarriers(page)).toEqual([]);

      for (const [verb, then, recorded] of [
        ['pause', 'Paused', 'pause'],
        ['resume', 'Raining', 'resume'],
        ['close', 'Settling', 'close'],
      ] as const) {
        await enabled(page, verb);
        await press(page, verb, () => soon(() => verbsOf('evening')).toContain(recorded));
        await soon(() => state(page)).toBe(then);
      }
      expect(await verbsOf('evening'), 'each once').toEqual(['create', 'load', 'start', 'pause', 'resume', 'close']);
      await photograph(page, 'over', 'remote');
      await page.getByTestId('remote-next').click();
      await soon(() => page.locator('h1').textContent()).toBe('The second one');
      expect(faults).toEqual([]);
    },
  );

  test('a key asks in a dialog, which says what happens; Escape does nothing', { timeout: 120_000 }, async () => {
    await planned('keys', 3_600_000);
    const { page } = await open('#/remote/keys', { viewport: LAPTOP });
    await enabled(page, 'pause');
    await page.getByTestId('remote-pause').focus();
    await page.keyboard.press('Enter');
    await page.locator('dialog').waitFor();
    expect(await page.locator('dialog').textContent()).toContain('Nobody gets a packet until you resume it.');
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await soon(() => page.locator('dialog').count()).toBe(0);
    expect(await verbsOf('keys')).toEqual(['create', 'load']);
    await page.keyboard.press('Space');
    await page.getByTestId('act').click();
    await soon(() => state(page)).toBe('Paused');
    expect(await verbsOf('keys')).toEqual(['create', 'load', 'pause']);
  });

  test(
    'a lost connection turns the buttons off, and a lost answer does nothing twice',
    { timeout: 120_000 },
    async () => {
      await planned('lost', 3_600_000);
      const { page, faults } = await open('#/remote/lost');
      await enabled(page, 'pause');
      // The action arrives, and its answer does not.
      await page.route('**/rains/lost/pause', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await press(page, 'pause', () => soon(() => verbsOf('lost')).toContain('pause'));
      await soon(() => state(page)).toBe('Paused');
      await enabled(page, 'resume');
      expect(await verbsOf('lost')).toEqual(['create', 'load', 'pause']);

      await page.context().setOffline(true);
      await soon(() => note(page)).toBe('No connection. The buttons are off until it is back.');
      expect(await page.locator('.hold:not([aria-disabled=true])').count()).toBe(0);
      const pressedAt = await page.evaluate(() => performance.now());
      await press(page, 'resume', () => page.waitForFunction((at) => performance.now() > at + 1_500, pressedAt));
      await photograph(page, 'lost', 'remote');
      await page.context().setOffline(false);
      await enabled(page, 'resume');
      expect(await verbsOf('lost'), 'what was held without a connection is not done later').toEqual([
        'create',
        'load',
        'pause',
      ]);
      expect(faults).toEqual([]);
    },
  );

  test(
    'its buttons work where the live stream is refused, by figures that it asks for',
    { timeout: 120_000 },
    async () => {
      await planned('crowded', 3_600_000);
      const { page } = await open('#/rains');
      await page.route('**/rains/crowded/live', (route) => route.fulfill({ status: 429, json: { code: 'too_many' } }));
      await goTo(page, '#/remote/crowded');
      await enabled(page, 'pause');
      expect(await page.getByTestId('remote').textContent()).toContain('These figures are a few seconds old');
      await press(page, 'pause', () => soon(() => verbsOf('crowded')).toContain('pause'));
      await soon(() => state(page)).toBe('Paused');
      await enabled(page, 'resume');
      expect(await verbsOf('crowded')).toEqual(['create', 'load', 'pause']);
      await page.unroute('**/rains/crowded/live');
      await soon(() => page.getByTestId('remote').textContent()).not.toContain('a few seconds old');
    },
  );

  test.each([
    { locale: 'zh-CN', colorScheme: 'dark', viewport: SMALL },
    { locale: 'zh-CN', colorScheme: 'light', viewport: LAPTOP },
    { locale: 'en-GB', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
  ] as const)('it fits and is accessible: $locale, $viewport.width wide', { timeout: 120_000 }, async (look) => {
    const { page, faults } = await open(`#/remote/${await looked()}`, look);
    await page.locator('.remote[data-link=up]').waitFor();
    await photograph(page, `${look.locale}-${look.viewport.width}`, 'remote');
    if (look.viewport.width < 560) expect(await misfits(page)).toEqual([]);
    expect(await findBarriers(page)).toEqual([]);
    await page.getByText(look.locale === 'zh-CN' ? '打开其页面' : 'Its page').click();
    await page.getByTestId('to-remote').click();
    await page.getByTestId('remote').waitFor();
    expect(faults).toEqual([]);
  });

  test('a viewer watches it without buttons', { timeout: 60_000 }, async () => {
    const { page } = await open(`#/remote/${await looked()}`, { as: 'vera' });
    await page.locator('.remote[data-link=up]').waitFor();
    expect([await page.locator('.hold').count(), await page.getByTestId('live-left').textContent()]).toEqual([
      0,
      '24 of 24',
    ]);
    await goTo(page, '#/rains');
    await page.locator('.menu').click();
    await page.getByText('Remote control').click();
    await page.getByTestId('remote').waitFor();
  });

  async function looked(): Promise<string> {
    if (await stage.testConsole.ledger.rain('looked')) return 'looked';
    await planned('looked', -1_000, '这是一场名字特别特别长的新春红包雨 with a long name in two languages');
    await pauseRain(stage.testConsole, 'looked');
    return 'looked';
  }
});
