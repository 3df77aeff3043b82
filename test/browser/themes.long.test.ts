import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { sound } from '../support/themeFiles.ts';
import { findBarriers } from './axe.ts';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { isWiderThanScreen, setConsoleStage, soon } from './consoleStage.ts';
import { ACTIONS, goTo, LAPTOP, photograph, untilBrought } from './operator.ts';
import { PHONE } from './stage.ts';

const LOOKS = [
  {
    locale: 'en-GB',
    colorScheme: 'light',
    viewport: LAPTOP,
    title: 'Spring',
    isDefault: 'Default',
    usual: 'Usual colour',
    unreadable: "the page's text #ffe9bd on it has a contrast of 1.",
    tooLarge: 'expected 1 to 2048 px on each side',
    noPicture: 'expected a whole picture as PNG, JPEG or WebP',
  },
  {
    locale: 'zh-CN',
    colorScheme: 'dark',
    viewport: PHONE,
    title: '新春',
    isDefault: '默认',
    usual: '默认颜色',
    unreadable: '页面文字 #ffe9bd 在其上的对比度只有 1.',
    tooLarge: '每边最多 2048 像素',
    noPicture: '请选择完整的 PNG、JPEG 或 WebP 图片',
  },
] as const;

describe.skipIf(WITHOUT_CHROMIUM)('themes and greetings, on a real console', () => {
  const stage = setConsoleStage();
  const { open } = stage;
  /** A PNG of one colour with a lighter circle. */
  const painted = async (page: Page, width: number, height: number, colour: string) =>
    Buffer.from(
      await page.evaluate(
        ([w, h, fill]) => {
          const canvas = Object.assign(document.createElement('canvas'), { width: w, height: h });
          const pen = canvas.getContext('2d')!;
          pen.fillStyle = fill;
          pen.fillRect(0, 0, w, h);
          pen.fillStyle = '#ffffff66';
          pen.arc(w / 2, h / 2, Math.min(w, h) / 3, 0, 7);
          pen.fill();
          return canvas.toDataURL('image/png').split(',')[1]!;
        },
        [width, height, colour] as const,
      ),
      'base64',
    );
  const choose = (page: Page, kind: string, name: string, bytes: Buffer) =>
    page
      .getByTestId(`choose-${kind}`)
      .setInputFiles({ name, mimeType: name.endsWith('mp3') ? 'audio/mpeg' : 'image/png', buffer: bytes });
  const variable = (page: Page, name: string) =>
    page
      .getByTestId('theme-phone')
      .evaluate((phone, wanted) => (phone as HTMLElement).style.getPropertyValue(wanted), name);

  test.each(LOOKS)(
    'a theme is made, coloured, given files, and used for everything ($locale)',
    { timeout: 120_000 },
    async ({ title, isDefault, usual, unreadable, tooLarge, noPicture, ...look }) => {
      const { page, faults } = await open('opal', '#/themes', look);
      if (look.locale === 'en-GB') {
        await soon(() => page.locator('.empty').textContent()).toContain('No theme yet');
        await photograph(page, 'themes-none');
      }
      await page.getByTestId('new-theme').click();
      await soon(() => page.locator('.refusal').count()).toBe(1);
      expect(await page.locator('.refused-box').count(), 'told once').toBe(0);
      await page.getByTestId('new-theme-title').fill(title);
      await page.getByTestId('new-theme').click();
      await page.getByTestId('save-theme').waitFor();

      // The phone shows what is chosen before it is saved.
      await page.getByTestId('colour-background').fill('#e8d8a0');
      await soon(() => variable(page, '--theme-background')).toBe('#e8d8a0');
      await soon(() => page.locator('.refusal').first().textContent()).toContain(unreadable);
      expect(await page.getByTestId('save-theme').getAttribute('aria-disabled')).toBe('true');
      await photograph(page, `theme-unreadable-${look.locale}`);
      await page.getByTestId('colour-background').fill('#123c4a');
      await page.getByTestId('colour-packet').fill('#2b7a78');
      await page.getByTestId('colour-accent').fill('#ffd166');
      expect(await page.getByTestId('colour-packet-usual').textContent()).toBe(usual);
      await page.getByTestId('colour-packet-usual').click();
      expect(await page.getByTestId('colour-packet-usual').count()).toBe(0);
      await page.locator('.toggle').click();
      await page.getByTestId('save-theme').click();
      await page.getByTestId('theme-saved').waitFor();
      expect(await page.getByTestId('default').textContent()).toBe(isDefault);

      const row = (kind: string) => page.getByTestId(`file-${kind}`);
      await choose(page, 'logo', 'logo.png', await painted(page, 2_049, 8, '#fff'));
      await soon(() => row('logo').locator('.refusal').textContent()).toContain(tooLarge);
      await choose(page, 'logo', 'logo.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
      await soon(() => row('logo').locator('.refusal').textContent()).toContain(noPicture);
      expect(await findBarriers(page)).toEqual([]);
      await choose(page, 'logo', 'logo.png', await painted(page, 300, 120, '#c0392b'));
      await choose(page, 'background', 'background.png', await painted(page, 360, 640, '#0b2530'));
      await choose(page, 'packet', 'packet.png', await painted(page, 60, 80, '#8e44ad'));
      await choose(page, 'sponsor', 'sponsor.png', await painted(page, 200, 60, '#2d8653'));
      await choose(page, 'music', 'music.mp3', sound.mp3(2_048));
      for (const kind of ['logo', 'background', 'packet', 'sponsor'])
        await soon(() =>
          row(kind)
            .locator('img')
            .evaluate((image) => (image as HTMLImageElement).naturalWidth),
        ).toBeGreaterThan(0);
      await row('music').getByTestId('music').waitFor();
      await soon(() => row('music').textContent()).toContain('1.6 KiB');
      expect(await variable(page, '--theme-packet-image')).toContain('/api/theme/files/');
      expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
      await photograph(page, `theme-${look.locale}`);
      await page.getByTestId('theme-phone').scrollIntoViewIfNeeded();
      await photograph(page, `theme-phone-${look.locale}`);
      await page.getByTestId('remove-sponsor').click();
      await soon(() => row('sponsor').locator('img').count()).toBe(0);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await isWiderThanScreen(page)).toBe(false);
      await page.setViewportSize(look.viewport);

      await goTo(page, '#/themes');
      await soon(() => page.getByTestId('theme').filter({ hasText: title }).getByTestId('default').count()).toBe(1);
      expect([await isWiderThanScreen(page), await findBarriers(page)]).toEqual([false, []]);
      await photograph(page, `themes-${look.locale}`);
      expect(faults).toEqual([]);
      expect((await stage.testConsole.ledger.themes()).find((theme) => theme.title === title)).toMatchObject({
        isDefault: true,
        colours: { background: '#123c4a', accent: '#ffd166' },
      });
    },
  );

  test('a theme that is removed is gone after a confirmation', async () => {
    const { page } = await open('opal', '#/themes');
    await page.getByTestId('new-theme-title').fill('Short-lived');
    await page.getByTestId('new-theme').click();
    await page.getByTestId('remove-theme').click();
    expect(await page.locator('dialog').textContent()).toContain('Rains that name it then have the default theme');
    await page.getByTestId('act').click();
    await soon(() => page.getByTestId('theme').count()).toBe(2);
    expect(await page.getByText('Short-lived').count()).toBe(0);
  });

  test.each(LOOKS)(
    'a rain is created with a greeting, which is changed on its page and duplicated ($locale)',
    { timeout: 120_000 },
    async ({ title, ...look }) => {
      const { page, faults } = await open('opal', '#/rehearse', look);
      await page.getByTestId('preview').waitFor();
      await page.getByTestId('sender').fill('x'.repeat(41));
      await page.getByTestId('blessing').fill('万事如意 · All the best');
      await page.getByTestId('add-prize').click();
      await page.getByTestId('prize-from-0').fill('88');
      await page.getByTestId('prize-blessing-0').fill('Grand prize 头奖');
      await page.getByTestId('greeting-theme').selectOption({ label: title });
      await page.getByTestId('start-in').fill('900');
      await page.getByTestId('review').click();
      await soon(() =>
        page
          .locator('.field', { has: page.getByTestId('sender') })
          .locator('.refusal')
          .count(),
      ).toBe(1);
      expect(await page.locator('.refused-box').count(), 'told once').toBe(0);
      await page.getByTestId('sender').fill('The management');
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, `greeting-form-${look.locale}`);
      await page.getByTestId('review').click();
      await untilBrought(page, 'review-greeting', 'review');
      expect(await page.getByTestId('review-greeting').textContent()).toContain('“万事如意 · All the best”');
      await page.getByTestId('act').click();
      await untilBrought(page, 'greeting', 'act');
      const hash = new URL(page.url()).hash;
      const greeting = page.getByTestId('greeting');
      for (const told of ['The management', '万事如意 · All the best', '¥88.00', 'Grand prize 头奖', title])
        await soon(() => greeting.textContent()).toContain(told);

      await page.getByTestId('change-greeting').click();
      await page.getByTestId('blessing').fill('x'.repeat(121));
      await page.getByTestId('act').click();
      await soon(() => page.locator('dialog .refusal').count()).toBe(1);
      expect(await page.locator('dialog .refused-box').count(), 'told once').toBe(0);
      await page.getByTestId('blessing').fill('See you next year');
      await page.getByTestId('greeting-theme').selectOption('');
      expect(await findBarriers(page)).toEqual([]);
      await photograph(page, `greeting-change-${look.locale}`);
      await page.getByTestId('act').click();
      await page.locator('dialog').waitFor({ state: 'detached' });
      await soon(() => greeting.textContent()).toContain('See you next year');
      await greeting.scrollIntoViewIfNeeded();
      await photograph(page, `greeting-${look.locale}`);
      expect(await stage.testConsole.ledger.greeting(hash.split('/')[2]!)).toEqual({
        sender: 'The management',
        blessing: 'See you next year',
        prizes: [{ from: '88.00', blessing: 'Grand prize 头奖' }],
      });

      await page.getByTestId('duplicate').click();
      await soon(() => page.getByTestId('blessing').inputValue()).toBe('See you next year');
      expect([
        await page.getByTestId('sender').inputValue(),
        await page.getByTestId('prize-from-0').inputValue(),
        await page.getByTestId('prize-blessing-0').inputValue(),
      ]).toEqual(['The management', '88.00', 'Grand prize 头奖']);
      expect(faults).toEqual([]);
    },
  );

  test('a viewer sees themes and greetings, and no button that changes them', async () => {
    const { page, faults } = await open('vera', '#/themes');
    await soon(() => page.getByTestId('theme').count()).toBe(2);
    const changing = `${ACTIONS}, input[type=file], input[type=color], [data-testid^=remove-], [data-testid=change-greeting]`;
    expect(await page.locator(changing).count()).toBe(0);
    await page.getByTestId('theme').first().getByRole('link').click();
    await page.getByTestId('file-logo').locator('img').waitFor();
    expect(await page.locator('.colours-shown').textContent()).toContain('#123c4a');
    expect(await page.locator(changing).count()).toBe(0);
    expect(await findBarriers(page)).toEqual([]);
    await photograph(page, 'theme-viewer');
    await goTo(page, '#/rains');
    await page.getByTestId('rain').first().getByRole('link').first().click();
    await soon(() => page.getByTestId('greeting').textContent()).toContain('The management');
    expect(await page.locator(changing).count()).toBe(0);
    expect(faults).toEqual([]);
  });
});
