import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Deployment } from './deployment.ts';
import { openPage } from './windows.ts';

export const LAPTOP = { width: 1280, height: 800 };
/** Where pictures are kept, for the manual. */
const PICTURES = process.env['RAIN_SCREENSHOTS'];
export const PASSWORD = 'correct horse battery';

/** `opal` may act, `vera` may look. */
export async function addOperators(system: Deployment): Promise<void> {
  await system.rainTold(`${PASSWORD}\n`, 'operator', 'add', 'opal');
  await system.rainTold(`${PASSWORD}\n`, 'operator', 'add', 'vera', '--role', 'viewer');
}

/** The operator's page with as little motion as can be, where no picture of it is wanted. What the browser's console finds faulty is in `faults`. */
export async function openConsole(browser: Browser, system: Deployment, hash = '', options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
  const page = await openPage(browser, { locale: 'en-GB', viewport: LAPTOP, reducedMotion: PICTURES ? 'no-preference' : 'reduce', ...options });
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  // A refusal is an answer; what the content security policy stops is a fault.
  page.on('console', (message) => { if (message.type() === 'error' && !message.text().includes('Failed to load resource')) faults.push(message.text()); });
  await page.goto(`${system.consoleUrl}/desk/${hash}`);
  return { page, faults };
}

export async function signIn(page: Page, name: string, password = PASSWORD): Promise<void> {
  await page.getByTestId('name').fill(name);
  await page.getByTestId('password').fill(password);
  await page.getByTestId('enter').click();
  await page.getByTestId('login').waitFor({ state: 'detached' });
}

export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate((to) => { location.hash = to; }, hash);
  await page.locator('main h1').first().waitFor();
}

/** Fills the form of a rain that opens soon, and makes it. @returns its id */
export async function makeRain(page: Page, { title, startIn = '8', budget = '88.8', packets = 12 }: { title: string; startIn?: string; budget?: string; packets?: number }): Promise<string> {
  await goTo(page, '#/create');
  await page.getByTestId('preset-flash').click();
  await page.getByTestId('title').fill(title);
  await page.getByTestId('budget').fill(budget);
  await page.getByTestId('packets').fill(String(packets));
  await page.getByTestId('start-in').fill(startIn);
  await page.getByTestId('duration').fill('600');
  await page.getByTestId('preview').waitFor();
  await page.getByTestId('review').click();
  await page.getByTestId('deeds').waitFor();
  // An impatient finger.
  await page.getByTestId('act').dblclick();
  await page.getByTestId('commitment').waitFor();
  return new URL(page.url()).hash.split('/')[2]!;
}

/** Kept when RAIN_SCREENSHOTS names a folder. */
export async function photograph(page: Page, name: string): Promise<void> {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  await page.screenshot({ path: join(PICTURES, `console-${name}.png`) });
}
