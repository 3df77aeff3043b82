import type { Page } from 'playwright-core';

/** The size that a thumb needs. */
const TOUCH_PX = 44;

/**
 * The faults of a screen on a phone: it scrolls sideways, something is cut off, or something to touch is small.
 * One line each.
 */
export async function misfits(page: Page): Promise<string[]> {
  return await page.evaluate((least) => {
    const named = (element: Element) =>
      `${element.tagName.toLowerCase()}.${[...element.classList].join('.')} “${(element.textContent ?? '').trim().slice(0, 40)}”`;
    const shown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && !element.closest('.unseen, .skip, [aria-hidden=true]');
    const found: string[] = [];
    if (document.documentElement.scrollWidth > innerWidth)
      found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
    for (const element of document.querySelectorAll('main *')) {
      if (!shown(element) || element instanceof SVGElement) continue;
      const { left, right, width } = element.getBoundingClientRect();
      if (width > 0 && (left < -0.5 || right > innerWidth + 0.5))
        found.push(`${named(element)} lies at ${Math.round(left)} to ${Math.round(right)}`);
      const { overflowX } = getComputedStyle(element);
      // Text typed into a field scrolls in it.
      if (
        !(element instanceof HTMLInputElement) &&
        overflowX !== 'visible' &&
        element.scrollWidth > element.clientWidth + 1 &&
        element.clientWidth > 1
      )
        found.push(`${named(element)} is cut off at ${element.clientWidth} of ${element.scrollWidth} px`);
    }
    for (const element of document.querySelectorAll(
      'main :is(a[href], button, input, select, summary), header :is(a[href], button)',
    )) {
      if (!shown(element)) continue;
      // A hidden box of a choice is touched at its label; a stretched link at its row.
      const target = element.matches('.segments input, .toggle input')
        ? element.closest('label')!
        : element.matches('.stretch')
          ? element.closest('li')!
          : element;
      const { width, height } = target.getBoundingClientRect();
      if (width < least - 0.5 || height < least - 0.5)
        found.push(`${named(target)} is ${Math.round(width)} × ${Math.round(height)} px`);
    }
    return found;
  }, TOUCH_PX);
}
