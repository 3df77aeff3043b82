import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tokenFor } from '../support/client.ts';
import { stockRain } from '../support/rain.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { shows, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

describe.skipIf(WITHOUT_CHROMIUM)('[R9] a page without anonymous guests', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ guests: false });
    await stockRain(stage.redis, { rainId: 'private', amounts: ['1.00'] });
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  test('plays for the user of the token in the fragment, removes it from the address bar at once, and keeps it over a reload', async () => {
    const token = await tokenFor('alice');
    const page = await stage.open(`/?rain=private#token=${token}`);
    await shows(page, 'open');
    expect(await userOf(page)).toBe('alice');
    expect(page.url()).toBe(`${stage.console.url}/?rain=private`);
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    await page.reload();
    await shows(page, 'open');
    expect(await userOf(page)).toBe('alice');
  });

  test.each([
    ['en-US', 'You are alice.', 'This link makes you bob.', 'Stay who I am', 'Change the user'],
    ['zh-CN', '你现在是 alice。', '打开此链接后，你将变为 bob。', '保持不变', '切换用户'],
  ])(
    '%s: asks before a link makes it another user, and only a yes does',
    async (locale, now, then, stay, change) => {
      const page = await stage.open(`/?rain=private#token=${await tokenFor('alice')}`, { locale });
      await shows(page, 'open');
      const link = `${stage.console.url}/?rain=private#token=${await tokenFor('bob')}`;
      const asked = page.getByTestId('identity');
      // On the open page only the fragment changes.
      const follow = async () => {
        await page.evaluate((url) => {
          location.href = url;
        }, link);
        await asked.waitFor();
      };
      await follow();
      expect([await text(page, 'identity-now'), await text(page, 'identity-then')]).toEqual([now, then]);
      expect([await text(page, 'identity-stay'), await text(page, 'identity-change')]).toEqual([stay, change]);
      expect(page.url()).toBe(`${stage.console.url}/?rain=private`);
      await page.keyboard.press('Escape');
      await shows(page, 'open');
      expect(await userOf(page)).toBe('alice');
      await follow();
      await page.getByTestId('identity-stay').click();
      await shows(page, 'open');
      expect(await userOf(page)).toBe('alice');
      await follow();
      await page.getByTestId('identity-change').click();
      await shows(page, 'open');
      expect(await userOf(page)).toBe('bob');
      // The same user again, with another token: nothing to ask.
      await page.goto('about:blank');
      await page.goto(`${stage.console.url}/?rain=private#token=${await tokenFor('bob', 90)}`);
      await shows(page, 'open');
      expect([await userOf(page), await asked.isVisible()]).toEqual(['bob', false]);
    },
    60_000,
  );

  test('ignores a token in the query, which servers would log', async () => {
    const page = await stage.open(`/?token=${await tokenFor('alice')}`);
    await shows(page, 'no_token');
  });

  test('reports an expired invitation instead of retrying for ever', async () => {
    const page = await stage.open(`/#token=${await tokenFor('alice', -60)}`);
    await shows(page, 'no_token');
  });

  test('asks for an invitation, and does not violate the content security policy', async () => {
    const page = await stage.open('/');
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.reload();
    await shows(page, 'no_token');
    expect(complaints).toEqual([]);
  });
});
