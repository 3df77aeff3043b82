import axe, { type AxeResults } from 'axe-core';
import type { BrowserContext, Page } from 'playwright-core';

/** Before a page is opened: its content security policy would not let a script in later. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** What axe finds wrong with the page as it is now, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // What is still fading in has the contrast of its last moment.
  await page.evaluate(() => Promise.all(document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity).map(({ finished }) => finished.catch(() => {}))));
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run());
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replace(/\s+/g, ' ') ?? ''}`));
}
