import { describe, expect, test } from 'vitest';
import { execute } from '../support/servers/postgres.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { isWiderThanScreen, setConsoleStage, soon } from './consoleStage.ts';
import { LAPTOP, photograph, untilBrought } from './operator.ts';
import { PHONE } from './stage.ts';

const LOOKS = [
  {
    locale: 'en-GB',
    colorScheme: 'light',
    viewport: LAPTOP,
    name: 'Annual party',
    renamed: 'Party of the year',
    replaces: 'There is a template',
    invalid: 'No longer valid',
  },
  {
    locale: 'zh-CN',
    colorScheme: 'dark',
    viewport: PHONE,
    name: '公司年会之夜',
    renamed: '年度盛典',
    replaces: '已有模板',
    invalid: '已失效',
  },
] as const;

describe.skipIf(WITHOUT_CHROMIUM)('templates, on a real console', () => {
  const stage = setConsoleStage();
  const { open } = stage;

  test.each(LOOKS)(
    'a form is saved, and after a reload chosen: the rain is what was saved; it is renamed, replaced and removed ($locale)',
    { timeout: 300_000 },
    async ({ name, renamed, replaces, invalid, ...look }) => {
      const { page, faults } = await open('opal', '#/create', look);
      const template = page.getByTestId('template').filter({ hasText: name });
      await page.getByTestId('preset-party').click();
      expect(await page.getByTestId('preset-party').getAttribute('aria-pressed')).toBe('true');
      const partyTitle = await page.getByTestId('title').inputValue();
      await page.getByTestId('preset-flash').click();
      expect(await page.getByTestId('title').inputValue(), 'the title follows the choice').not.toBe(partyTitle);
      await page.getByTestId('preset-party').click();
      await page.getByTestId('title').fill('New year');
      await page.getByTestId('budget').fill('9999');
      await page.getByTestId('duration').fill('3');
      await page.getByTestId('sender').fill('The management');
      await page.locator('.toggle').last().click();
      await page.getByTestId('preview').waitFor();

      // By keyboard alone, with what is refused beside its field.
      await page.getByTestId('save-template').focus();
      await page.keyboard.press('Enter');
      await page.getByTestId('template-title').fill('…');
      await page.keyboard.press('Enter');
      await soon(() => page.locator('dialog .refusal').count()).toBe(1);
      await page.getByTestId('template-title').fill(name);
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, `template-save-${look.locale}`);
      await page.keyboard.press('Enter');
      await soon(() => template.getAttribute('aria-pressed')).toBe('true');
      expect(await page.getByTestId('preset-party').getAttribute('aria-pressed')).toBe('false');

      await page.reload();
      await template.click();
      expect(await template.getAttribute('aria-pressed')).toBe('true');
      await soon(() => page.getByTestId('title').inputValue()).toBe('New year');
      await page.getByTestId('preset-flash').click();
      expect(
        [await page.getByTestId('sender').inputValue(), await page.locator('.toggle input:checked').count()],
        'nothing of the template stays',
      ).toEqual(['', 0]);
      await template.click();
      await page.getByTestId('start-in').fill('900');
      await page.getByTestId('preview').waitFor();
      expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
      await photograph(page, `templates-${look.locale}`);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await isWiderThanScreen(page)).toBe(false);
      await page.setViewportSize(look.viewport);
      await page.getByTestId('review').click();
      await untilBrought(page, 'deeds', 'review');
      await page.getByTestId('act').click();
      await untilBrought(page, 'commitment', 'act');
      const rainId = new URL(page.url()).hash.split('/')[2]!;
      const rain = (await stage.testConsole.ledger.rain(rainId))!;
      expect(rain).toMatchObject({
        title: 'New year',
        budgetCents: 999_900n,
        packets: 300,
        terms: { invitedOnly: true },
        split: {
          split: {
            method: 'tiers',
            tiers: [
              { count: 1, amount: '888.00' },
              { count: 10, amount: '88.88' },
            ],
          },
          min: '1.00',
        },
      });
      expect(rain.closesAt - rain.opensAt).toBe(180_000);
      expect(await stage.testConsole.ledger.greeting(rainId)).toEqual({ sender: 'The management' });

      // From the page of the rain; the title is taken, so it asks again.
      await page.getByTestId('save-template').click();
      await page.getByTestId('template-title').fill(name);
      await page.getByTestId('act').click();
      await soon(() => page.getByTestId('replaces').textContent()).toContain(replaces);
      await photograph(page, `template-replace-${look.locale}`);
      await page.getByTestId('act').click();
      await page.getByTestId('template-saved').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByTestId('act').click();
      await page.locator('dialog').waitFor({ state: 'detached' });
      expect((await stage.testConsole.ledger.templates()).filter(({ title }) => title === name)).toMatchObject([
        { rain: { title: 'New year', durationMs: 180_000 } },
      ]);

      await execute(
        stage.testConsole.databaseUrl,
        `INSERT INTO "Template" ("id", "title", "rain") VALUES ('older', 'Older', '{"plan":{"budget":"5.00","packets":5,"split":{"method":"dice"}},"durationMs":60000}')`,
      );
      await page.goto(`${stage.testConsole.url}/console/#/create`);
      await page.reload();
      const older = page.getByTestId('template').filter({ hasText: 'Older' });
      await soon(() => older.textContent()).toContain(invalid);
      await older.click();
      await soon(() => page.getByTestId('template-refusals').textContent()).toContain('split.method');
      expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
      await photograph(page, `template-invalid-${look.locale}`);
      await page.getByTestId('remove-template').click();
      await page.getByTestId('act').click();
      await soon(() => older.count()).toBe(0);
      await template.click();
      await page.getByTestId('rename-template').click();
      await page.getByTestId('template-title').fill(renamed);
      await page.getByTestId('act').click();
      await soon(() => page.getByTestId('chosen-template').textContent()).toContain(renamed);
      await page.getByTestId('remove-template').click();
      await page.getByTestId('act').click();
      await soon(() => page.getByTestId('template').count()).toBe(0);
      expect(faults).toEqual([]);
    },
  );
});
