import { describe, expect, test } from 'vitest';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { isWiderThanScreen, setConsoleStage, soon } from './consoleStage.ts';
import { ACTIONS, goTo, LAPTOP, photograph, untilBrought } from './operator.ts';
import { PHONE } from './stage.ts';

const PLAYER_PAGE = 'https://party.example.com/rain/';
const LOOKS = [
  {
    locale: 'en-GB',
    colorScheme: 'light',
    viewport: LAPTOP,
    steps: ["Look at the player's page", 'Look at the screen of the hall', 'Rehearse', 'Create the first rain'],
  },
  {
    locale: 'zh-CN',
    colorScheme: 'dark',
    viewport: PHONE,
    steps: ['看看玩家页面', '看看现场大屏', '彩排', '创建第一场'],
  },
] as const;

describe.skipIf(WITHOUT_CHROMIUM)('the first rain, on a real console', () => {
  const stage = setConsoleStage({ playerPage: PLAYER_PAGE });
  const { open } = stage;

  test.each(LOOKS)('a console without rains says what to do in which order ($locale)', async ({ steps, ...look }) => {
    const { page, faults } = await open('opal', '#/rains', look);
    await soon(() => page.getByTestId('guide').locator('h3').allTextContents()).toEqual(steps);
    expect(await page.getByTestId('guide-page').getAttribute('href')).toBe(PLAYER_PAGE);
    expect(await page.getByTestId('guide-hall').getAttribute('href')).toBe(`${PLAYER_PAGE}hall`);
    expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
    await photograph(page, `guide-${look.locale}`);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await isWiderThanScreen(page)).toBe(false);
    expect(faults).toEqual([]);
  });

  test('a viewer of a console without rains is offered nothing', async () => {
    const { page } = await open('vera', '#/rains');
    await soon(() => page.locator('.empty').textContent()).toContain('No rain yet');
    expect(await page.locator(`${ACTIONS}, [data-testid=guide]`).count()).toBe(0);
  });

  test('what is wrong with a rain is told once, beside its field', async () => {
    const { page } = await open('opal', '#/create');
    await page.getByTestId('budget').fill('1');
    await page.getByTestId('packets').fill('500');
    await soon(() => page.locator('.refusal').allTextContents()).toEqual([
      '500 packets of at least 0.01 would take 5.00, more than the budget 1.00',
    ]);
    expect(await page.getByText('would take 5.00').count()).toBe(1);
    expect(await page.getByTestId('preview-refused').textContent()).toContain('Correct the marked fields');
    expect(await page.locator('main code').count(), 'no field is called by its name in the protocol').toBe(0);
    await page.getByTestId('title').fill('x'.repeat(201));
    await page.getByTestId('packets').fill('10');
    await page.getByTestId('preview').waitFor();
    await page.getByTestId('review').click();
    await soon(() =>
      page
        .locator('.field', { has: page.getByTestId('title') })
        .locator('.refusal')
        .count(),
    ).toBe(1);
    expect(await page.locator('.refused-box').count()).toBe(0);
    expect(
      await page.getByTestId('title').evaluate((title) => title === document.activeElement),
      'it is brought into view',
    ).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'told-once');
  });

  test.each(LOOKS)(
    'a rehearsal is reviewed by title and currency and created; then the guide is gone ($locale)',
    async ({ steps: _, ...look }) => {
      const isEnglish = look.locale === 'en-GB';
      const { page, faults } = await open('opal', '#/rehearse', look);
      await page.getByTestId('preview').waitFor();
      expect(await page.getByTestId('title').inputValue()).toBe(isEnglish ? 'Rehearsal' : '彩排');
      await page.getByTestId('review').click();
      await untilBrought(page, 'deeds', 'review');
      expect(await page.getByTestId('review-title').textContent()).toBe(isEnglish ? '“Rehearsal”' : '“彩排”');
      expect(await page.getByTestId('deeds').textContent()).toContain(
        isEnglish ? '¥520.00 of test money' : '¥520.00 测试资金',
      );
      expect(await page.getByTestId('act').textContent()).toBe(isEnglish ? 'Create rain' : '创建红包雨');
      expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
      await photograph(page, `review-${look.locale}`);
      await page.getByTestId('act').click();
      await untilBrought(page, 'commitment', 'act');
      await goTo(page, '#/rains');
      await soon(() => page.getByTestId('rain').count()).toBeGreaterThan(0);
      expect(await page.getByTestId('guide').count()).toBe(0);
      expect(faults).toEqual([]);
    },
  );
});
