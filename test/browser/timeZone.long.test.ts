import { describe, expect, test } from 'vitest';
import { WITHOUT_CHROMIUM } from './chromium.ts';
import { setConsoleStage, soon } from './consoleStage.ts';
import { goTo, LAPTOP, photograph, untilBrought } from './operator.ts';

describe.skipIf(WITHOUT_CHROMIUM)('a console of an event in Kathmandu, in a browser in Los Angeles', () => {
  const stage = setConsoleStage({}, async () => {}, { timeZone: 'Asia/Kathmandu' });

  test('takes a start as clocks at the event show it, and shows it so', async () => {
    const { page, faults } = await stage.open('opal', '#/create', {
      locale: 'en-GB',
      viewport: LAPTOP,
      timezoneId: 'America/Los_Angeles',
    });
    await page.getByTestId('preset-flash').click();
    await page.getByTestId('title').fill('New year');
    await page.getByTestId('budget').fill('10');
    await page.getByTestId('packets').fill('10');
    await page.getByText('At a date and time').click();
    const year = new Date().getUTCFullYear() + 1;
    await page.getByLabel('Starts at').fill(`${year}-01-01T00:00:00`);
    expect(await page.locator('form').textContent()).toContain('In the time zone Asia/Kathmandu.');
    await page.getByTestId('preview').waitFor();
    await photograph(page, 'time-zone-create');
    await page.getByTestId('review').click();
    await untilBrought(page, 'deeds', 'review');
    await soon(() => page.getByTestId('deeds').textContent()).toContain(`1 Jan ${year}, 00:00:00`);
    await page.getByTestId('act').click();
    await untilBrought(page, 'commitment', 'act');
    const rainId = new URL(page.url()).hash.split('/')[2]!;
    expect(new Date((await stage.testConsole.ledger.rain(rainId))!.opensAt).toISOString()).toBe(
      `${year - 1}-12-31T18:15:00.000Z`,
    );
    await goTo(page, '#/rains');
    await soon(() => page.locator('.rain-row').first().textContent()).toContain(`1 Jan ${year}, 00:00:00`);
    expect(faults).toEqual([]);
  });
});
