import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { expect } from 'vitest';
import type { BrowserContext, Page } from 'playwright-core';

/** Before a page is opened: its content security policy would not let a script in later. */
export async function bringAxe(context: BrowserContext): Promise<void> {
  await context.addInitScript({ content: axe.source });
}

/** What axe finds wrong with the page as it is now, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // What is still fading in has the contrast of its last moment.
  await endAnimations(page);
  const { violations, passes } = await page.evaluate((options) => (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(options), { resultTypes: ['violations'] } satisfies RunOptions);
  expect(passes.length, 'axe-core found something to judge').toBeGreaterThan(5);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replace(/\s+/g, ' ') ?? ''}`));
}

/** What will come to rest, does now. */
export async function endAnimations(page: Page): Promise<void> {
  await page.evaluate(() => { for (const animation of document.getAnimations()) if (animation.effect?.getComputedTiming().iterations !== Infinity) animation.finish(); });
  // An amount that counts up is painted anew with every frame.
  await page.waitForFunction(() => !document.querySelector('[data-counting]'));
}
