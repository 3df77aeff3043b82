import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';

/** What axe finds wrong with the page as it is now, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // What is still fading in has the contrast of its last moment.
  await endAnimations(page);
  await bringAxe(page);
  const { violations, passes } = await page.evaluate((options) => (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(options), { resultTypes: ['violations'] } satisfies RunOptions);
  expect(passes.length, 'axe-core found something to judge').toBeGreaterThan(5);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replace(/\s+/g, ' ') ?? ''}`));
}

/** Half a megabyte that only a page that is judged has to read. It comes by the debugger: the page's content security policy lets no script in. */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe.source });
  await session.detach();
}

/** What will come to rest, does now. */
export async function endAnimations(page: Page): Promise<void> {
  await page.evaluate(() => { for (const animation of document.getAnimations()) if (animation.effect?.getComputedTiming().iterations !== Infinity) animation.finish(); });
  // An amount that counts up is painted anew with every frame.
  await page.waitForFunction(() => !document.querySelector('[data-counting]'));
}
