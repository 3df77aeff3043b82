import axe, { type AxeResults, type RunOptions } from 'axe-core';
import { expect } from 'vitest';
import type { Page } from 'playwright-core';

/** The findings of axe on the current page, one line each. */
export async function findBarriers(page: Page): Promise<string[]> {
  // Finishes animations first: the contrast counts when they are done.
  await endAnimations(page);
  await bringAxe(page);
  const { violations, passes } = await page.evaluate(
    (options) => (globalThis as unknown as { axe: { run(options: RunOptions): Promise<AxeResults> } }).axe.run(options),
    { resultTypes: ['violations'] } satisfies RunOptions,
  );
  expect(passes.length, 'axe-core found something to judge').toBeGreaterThan(5);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id}: ${target.join(' ')}: ${failureSummary?.replace(/\s+/g, ' ') ?? ''}`,
    ),
  );
}

/**
 * Loads axe (half a megabyte) only if needed. It is injected through the debugger, because the page's policy forbids
 * scripts.
 */
async function bringAxe(page: Page): Promise<void> {
  if (await page.evaluate(() => 'axe' in globalThis)) return;
  const session = await page.context().newCDPSession(page);
  await session.send('Runtime.evaluate', { expression: axe.source });
  await session.detach();
}

/** Finishes all animations. */
export async function endAnimations(page: Page): Promise<void> {
  await page.evaluate(() => {
    for (const animation of document.getAnimations())
      if (animation.effect?.getComputedTiming().iterations !== Infinity) animation.finish();
  });
  // A counting amount is repainted in every frame.
  await page.waitForFunction(() => !document.querySelector('[data-counting]'));
}
