import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createThemeReader } from '../../src/console/player/theme.ts';
import { setGreeting, setTheme, setThemeFile } from '../../src/operator/themes.ts';
import { createTokenReader } from '../../src/platform/auth/tokenReader.ts';
import { newRain } from '../ledger/claims.ts';
import { SECRET, tokenFor } from '../support/client.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { pngOf } from '../support/png.ts';
import { stockRain } from '../support/rain.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { PROJECTOR } from './hallScreen.ts';
import { photograph } from './operator.ts';
import { shows, text } from './player.ts';
import { setStage, type Stage } from './stage.ts';
import { GALA } from './themes.ts';

const accentOf = (page: Page) => page.evaluate(() => document.documentElement.style.getPropertyValue('--theme-accent'));

describe.skipIf(WITHOUT_CHROMIUM)('the theme of a rain by invitation', () => {
  let context: TestContext;
  let stage: Stage;
  beforeAll(async () => {
    context = await openTestContext();
    await context.ledger.createRain(newRain('vip', 100n, { terms: { invitedOnly: true } }), 'ann');
    await setTheme(context, { id: 'usual', title: 'Usual', colours: { accent: '#ffeeaa' }, isDefault: true });
    await setTheme(context, { id: 'gala', title: 'Gala', colours: GALA.theme.colours });
    await setThemeFile(context, 'gala', 'logo', pngOf(240, 100, [255, 209, 102]));
    await setGreeting(context, 'vip', { sender: 'Ann Li', blessing: 'For you alone', theme: 'gala' });
    stage = await setStage({
      theme: {
        themes: createThemeReader(context.ledger),
        readToken: createTokenReader({ secret: SECRET }, Date.now),
        allowedOrigins: [],
      },
    });
    await stockRain(stage.redis, { rainId: 'vip', amounts: ['1.00', '1.00'], invitedOnly: true });
  }, 300_000);
  afterAll(async () => {
    await stage?.end();
    await context?.stop();
  });

  test.each([
    ['en-US', 'From Ann Li: For you alone'],
    ['zh-CN', 'Ann Li：For you alone'],
  ])(
    '%s: is that of the page of an invited player, with its greeting',
    async (locale, greeting) => {
      const page = await stage.open(`/?rain=vip#token=${await tokenFor(`guest-${locale}`, 600, { rains: ['vip'] })}`, {
        locale,
      });
      await shows(page, 'open');
      await page.locator('.bar .logo').waitFor();
      expect(await accentOf(page)).toBe(GALA.theme.colours.accent);
      await page.getByTestId('grab').click();
      await shows(page, 'won');
      expect(await text(page, 'greeting')).toBe(greeting);
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, `invited-${locale}`, 'player');
    },
    300_000,
  );

  test('is not that of a stranger, whose page says that there is no such rain', async () => {
    const page = await stage.open(`/?rain=vip#token=${await tokenFor('stranger', 600, { rains: ['*'] })}`);
    await shows(page, 'unknown_rain');
    await page.waitForFunction(() => document.documentElement.style.getPropertyValue('--theme-accent') === '#ffeeaa');
    expect([await page.locator('.logo').count(), await text(page, 'greeting')]).toEqual([0, '']);
  }, 300_000);

  test('is that of a screen of the hall which was opened with an invitation, and of no other', async () => {
    const page = await stage.open(
      `/hall?rain=vip#token=${await tokenFor('screen', 600, { rains: ['vip'], watch: true })}`,
      { viewport: PROJECTOR, hasTouch: false },
    );
    await page.getByTestId('blessing').filter({ hasText: 'For you alone' }).waitFor();
    expect(await accentOf(page)).toBe(GALA.theme.colours.accent);
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'invited', 'hall');
    const other = await stage.open('/hall?rain=vip', { viewport: PROJECTOR, hasTouch: false });
    await other.waitForFunction(() => document.documentElement.style.getPropertyValue('--theme-accent') === '#ffeeaa');
    expect(await text(other, 'blessing')).toBe('');
  }, 300_000);
});
