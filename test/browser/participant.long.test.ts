import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { tokenFor } from '../support/client.ts';
import { stockRain } from '../support/rain.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { photograph } from './operator.ts';
import { shows, text, userOf } from './player.ts';
import { setStage, type Stage } from './stage.ts';

const PEOPLE = [
  { number: 'E1', name: 'Anna Li' },
  { number: 'E2', name: 'Bo Chen' },
  { number: 'E3', name: 'Chen Wei' },
];
const WRONG = '00000-00000';

const type = async (page: Page, code: string) => {
  await page.getByTestId('code-field').fill(code);
  await page.getByTestId('code-join').click();
};
const untilError = (page: Page, error: string) => page.getByTestId('code-error').filter({ hasText: error }).waitFor();
const untilHall = (page: Page, stage: string) => page.locator(`[data-testid=hall][data-stage=${stage}]`).waitFor();

describe.skipIf(WITHOUT_CHROMIUM)('[R9] a page where only people on a list may play', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ guests: false, participants: PEOPLE });
    await stockRain(stage.redis, { rainId: 'party', amounts: ['1.00'] });
  });
  afterAll(() => stage?.end());
  afterEach(() => stage?.closeWindows());

  const linkOf = (number: string) => `/?rain=party#code=${stage.codes.get(number)!}`;
  /** On the open page only the fragment changes. */
  const follow = (page: Page, number: string) =>
    page.evaluate(
      (url) => {
        location.href = url;
      },
      stage.console.url + linkOf(number),
    );

  test('a personal link plays, leaves the address bar at once, and keeps the user over a reload and on a page that is opened later', async () => {
    const page = await stage.open(linkOf('E1'));
    expect(page.url()).toBe(`${stage.console.url}/?rain=party`);
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Anna Li');
    expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
    await page.reload();
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Anna Li');
    await page.close();
    const later = await stage.open();
    await shows(later, 'open');
    expect([await text(later, 'user'), await later.getByTestId('code').isVisible()]).toEqual([
      'You are Anna Li',
      false,
    ]);
  });

  test.each([
    ['en-US', 'Your code', 'This code is not valid.', 'The server cannot check your code now.', 'You are Bo Chen'],
    ['zh-CN', '请输入你的入场码', '这个入场码无效。', '暂时无法验证入场码', '你是 Bo Chen'],
  ])(
    '%s: without a link it asks until it has a code, which may be typed in any way',
    async (locale, title, unknown, unanswered, user) => {
      const page = await stage.open('/?rain=party', { locale });
      const dialog = page.getByTestId('code');
      await dialog.waitFor();
      expect([
        await dialog.getByRole('heading').textContent(),
        await page.getByTestId('code-skip').isVisible(),
      ]).toEqual([title, false]);
      expect(await findBarriers(page)).toEqual([]);
      for (const code of [WRONG, 'ABC', '']) {
        await type(page, code);
        await untilError(page, unknown);
      }
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, `${locale}-code`, 'participant');
      // A browser may close a dialog at a second Escape.
      for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Escape');
      await dialog.waitFor();
      await page.route('**/api/participant', (route) => route.abort());
      const code = stage.codes.get('E2')!.toLowerCase();
      await type(page, ` ${code.slice(0, 5)} ${code.slice(5)} `);
      await untilError(page, unanswered);
      await page.unroute('**/api/participant');
      await page.getByTestId('code-field').press('Enter');
      await shows(page, 'open');
      expect([await text(page, 'user'), await dialog.isVisible()]).toEqual([user, false]);
    },
    60_000,
  );

  test('asks before the link of another person changes the user, and only a yes does', async () => {
    const page = await stage.open(linkOf('E1'));
    await shows(page, 'open');
    // One's own again: nothing to ask.
    await follow(page, 'E1');
    await page.waitForURL(`${stage.console.url}/?rain=party`);
    await shows(page, 'open');
    expect(await page.getByTestId('identity').isVisible()).toBe(false);
    await follow(page, 'E2');
    await page.getByTestId('identity').waitFor();
    expect([await text(page, 'identity-now'), await text(page, 'identity-then')]).toEqual([
      'You are participant-E1/Anna Li.',
      'This link makes you participant-E2/Bo Chen.',
    ]);
    expect(page.url()).toBe(`${stage.console.url}/?rain=party`);
    await page.keyboard.press('Escape');
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Anna Li');
    await follow(page, 'E2');
    await page.getByTestId('identity-change').click();
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Bo Chen');
  }, 60_000);

  test('an invitation goes before a code, and a code replaces it only after a yes', async () => {
    const page = await stage.open(`/?rain=party#token=${await tokenFor('alice')}`);
    await shows(page, 'open');
    expect(await userOf(page)).toBe('alice');
    await follow(page, 'E1');
    await page.getByTestId('identity-change').click();
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Anna Li');
  });

  test('asks whoever was taken off the list for another code', async () => {
    const page = await stage.open(linkOf('E3'));
    await shows(page, 'open');
    stage.removeParticipant('E3');
    await page.reload();
    await page.getByTestId('code').waitFor();
    expect(await text(page, 'code-error')).toContain('not valid');
    await type(page, stage.codes.get('E2')!);
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Bo Chen');
  });

  test('a phone that was lent gets another person by a button; a link that is no longer valid says so, and changes nobody', async () => {
    const page = await stage.open(linkOf('E1'));
    await shows(page, 'open');
    await page.getByTestId('other-code').click();
    await page.getByTestId('code-skip').click();
    expect(await text(page, 'user')).toBe('You are Anna Li');
    await page.getByTestId('other-code').click();
    await type(page, stage.codes.get('E2')!);
    await expect.poll(() => text(page, 'user'), { timeout: 20_000 }).toBe('You are Bo Chen');
    await page.goto('about:blank');
    await page.goto(`${stage.console.url}/?rain=party#code=ZZZZZZZZZZ`);
    await page.getByTestId('code').waitFor();
    expect(await text(page, 'code-error')).toContain('not valid');
    await page.getByTestId('code-skip').click();
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Bo Chen');
  }, 60_000);

  test('a phone without storage plays by its link until the page is closed, by a code or by a token', async () => {
    const page = await openWithoutStorage();
    await page.goto(stage.console.url + linkOf('E2'));
    await shows(page, 'open');
    expect(await text(page, 'user')).toBe('You are Bo Chen');
    const invited = await openWithoutStorage();
    await invited.goto(`${stage.console.url}/?rain=party#token=${await tokenFor('zoe')}`);
    await shows(invited, 'open');
    expect(await userOf(invited)).toBe('zoe');
    expect(invited.url()).not.toContain('token');
    await invited.reload();
    await shows(invited, 'open');
    expect(await userOf(invited)).toBe('zoe');
    // Not shown while it rains.
    await invited.getByTestId('language').dispatchEvent('click');
    await invited.locator('html[lang=zh-CN]').waitFor();
    await shows(invited, 'open');
    expect(await userOf(invited)).toBe('zoe');
  }, 60_000);

  async function openWithoutStorage(): Promise<Page> {
    const page = await stage.open('/favicon.svg');
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(window, name, {
          get() {
            throw new Error('forbidden');
          },
        });
    });
    return page;
  }

  test('the screen of the hall watches without a code', async () => {
    const hall = await stage.open('/hall');
    await untilHall(hall, 'raining');
  });
});

describe.skipIf(WITHOUT_CHROMIUM)('a page where guests may play beside the people on a list', () => {
  test('lets in who has no code, asks for it again when it is opened later, and before a link makes a participant of a guest', async () => {
    const stage = await setStage({ guestsAre: 'device', event: 'Annual party', participants: PEOPLE });
    onTestFinished(() => stage.end());
    await stockRain(stage.redis, { rainId: 'party', amounts: ['1.00'] });
    const page = await stage.open();
    await page.getByTestId('code-skip').click();
    await page.getByTestId('nickname-field').fill('Dora');
    await page.getByTestId('nickname-join').click();
    await shows(page, 'open');
    expect(await userOf(page)).toBe('Dora');
    await page.reload();
    await shows(page, 'open');
    expect([await userOf(page), await page.getByTestId('code').isVisible()]).toEqual(['Dora', false]);
    await page.close();

    const later = await stage.open();
    await later.getByTestId('code').waitFor();
    await later.keyboard.press('Escape');
    await shows(later, 'open');
    expect(await userOf(later)).toBe('Dora');
    await later.close();

    const linked = await stage.open(`/#code=${stage.codes.get('E1')!}`);
    await linked.getByTestId('identity-stay').click();
    await shows(linked, 'open');
    expect([await userOf(linked), await linked.getByTestId('code').isVisible()]).toEqual(['Dora', false]);
    await linked.goto('about:blank');
    await linked.goto(`${stage.console.url}/#code=${stage.codes.get('E1')!}`);
    await linked.getByTestId('identity-change').click();
    await shows(linked, 'open');
    expect(await text(linked, 'user')).toBe('You are Anna Li');
  }, 60_000);
});
