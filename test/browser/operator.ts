import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import type { Deployment } from './deployment.ts';
import { openPage, type PageOptions } from './windows.ts';

export const LAPTOP = { width: 1280, height: 800 };
/** Folder for screenshots, for the manual. */
const PICTURES = process.env['RAIN_SCREENSHOTS'];
export const PASSWORD = 'correct horse battery';

/** Buttons that only an operator sees. */
export const ACTIONS =
  'main .button.main:not([data-testid=big]), main .button.danger, main .segments input:not(.tools *), [data-testid=new-rain]';
/** The address of every screen. */
export const screensOf = (rainId: string) => [
  '#/rains',
  '#/create',
  '#/campaigns',
  '#/themes',
  '#/dead',
  '#/blocks',
  '#/participants',
  '#/participants/cards',
  '#/users',
  '#/switches',
  '#/actions',
  '#/queues',
  '#/system',
  '#/account',
  `#/rains/${rainId}`,
  `#/rains/${rainId}/live`,
  `#/rains/${rainId}/winners`,
  `#/rains/${rainId}/winners/sheet`,
];

/**
 * Opens the operator's page, with reduced motion unless screenshots are taken. Errors of the browser's console go to
 * `faults`.
 */
export async function openConsole(
  browser: Browser,
  system: Pick<Deployment, 'consoleUrl'>,
  hash = '',
  options: Partial<PageOptions> = {},
): Promise<{ page: Page; faults: string[] }> {
  const page = await openPage(browser, {
    locale: 'en-GB',
    viewport: LAPTOP,
    reducedMotion: PICTURES ? 'no-preference' : 'reduce',
    ...options,
  });
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  // A refused request is no fault; a violation of the content security policy is.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('Failed to load resource')) faults.push(message.text());
  });
  await page.goto(`${system.consoleUrl}/console/${hash}`);
  return { page, faults };
}

export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByTestId('name').fill(name);
  await page.getByTestId('password').fill(password);
  await page.getByTestId('enter').click();
  await page.getByTestId('login').waitFor({ state: 'detached' });
}

/** Resolves when the screen of this address is shown with its data. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(
    (to) =>
      new Promise<void>((resolve) => {
        if (location.hash === to) return resolve();
        // The page handles the event first and renders in the next frame.
        addEventListener('hashchange', () => requestAnimationFrame(() => requestAnimationFrame(() => resolve())), {
          once: true,
        });
        location.hash = to;
      }),
    hash,
  );
  await page.locator('main h1').first().waitFor();
  await page.locator('main .awaited').first().waitFor({ state: 'detached' });
}

/**
 * Waits until a click on this button has brought this element. Clicks again if Redis or the database did not answer in
 * time, as on a busy machine: every verb is safe to repeat.
 * @throws on any other refusal
 */
export async function untilBrought(page: Page, testId: string, button: string): Promise<void> {
  const refused = page.locator('.refused-box').first();
  await eventually(
    async () => {
      if (await page.getByTestId(testId).first().isVisible()) return true;
      if (!(await refused.isVisible())) return false;
      if ((await refused.getAttribute('data-code')) !== 'unavailable')
        throw new Error(`refused: ${(await refused.textContent()) ?? ''}`);
      await page.getByTestId(button).click();
      return false;
    },
    { timeoutMs: 40_000, everyMs: 100 },
  );
}

/** Fills in the form of a rain that opens soon, and creates it. @returns its id */
export async function makeRain(
  page: Page,
  {
    title,
    startIn = '8',
    budget = '88.8',
    packets = 12,
  }: { title: string; startIn?: string; budget?: string; packets?: number },
): Promise<string> {
  await goTo(page, '#/create');
  await page.getByTestId('preset-flash').click();
  await page.getByTestId('title').fill(title);
  await page.getByTestId('budget').fill(budget);
  await page.getByTestId('packets').fill(String(packets));
  await page.getByTestId('start-in').fill(startIn);
  await page.getByTestId('duration').fill('600');
  await page.getByTestId('preview').waitFor();
  await page.getByTestId('review').click();
  await untilBrought(page, 'deeds', 'review');
  // An impatient double click.
  await page.getByTestId('act').dblclick();
  await untilBrought(page, 'commitment', 'act');
  return new URL(page.url()).hash.split('/')[2]!;
}

/** Starts the rain whose page is open, and waits until it rains. */
export async function startAtOnce(page: Page): Promise<void> {
  await page.getByTestId('verb-start').click();
  await page.locator('dialog').getByText('At once').click();
  await photograph(page, 'start');
  await page.getByTestId('act').click();
  await eventually(async () => (await page.getByTestId('state').first().textContent()) === 'Raining', {
    timeoutMs: 40_000,
  });
}

/** Takes a screenshot if RAIN_SCREENSHOTS names a folder. */
export async function photograph(page: Page, name: string, of = 'console'): Promise<void> {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `${of}-${name}.png`) });
}
