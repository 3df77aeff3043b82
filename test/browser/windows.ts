import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

export type PageOptions = BrowserContextOptions & { viewport: { width: number; height: number } };

interface Windows {
  /** Keyed by the options of the window. */
  kept: Map<string, Promise<BrowserContext>>;
  pages: Set<Page>;
}

const windows = new WeakMap<Browser, Windows>();

/**
 * A new page in a window of this kind. Windows are reused: a page costs 0.33 s of CPU time, four times that in a new
 * window.
 */
export async function openPage(
  browser: Browser,
  { viewport, reducedMotion, colorScheme, ...options }: PageOptions,
): Promise<Page> {
  const { kept, pages } = windowsOf(browser);
  const kind = JSON.stringify(options);
  const window = kept.get(kind) ?? openWindow(browser, options);
  kept.set(kind, window);
  const page = await (await window).newPage();
  await page.setViewportSize(viewport);
  await page.emulateMedia({ reducedMotion: reducedMotion ?? null, colorScheme: colorScheme ?? null });
  page.setDefaultTimeout(30_000);
  pages.add(page);
  page.on('close', () => pages.delete(page));
  return page;
}

/** Closes a page and clears its storage, so that the next page in the window starts empty. */
export async function closePage(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  if (origin !== 'null') {
    const session = await page.context().newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  await page.context().clearCookies();
  await page.close();
}

/** Closes all pages: open pages keep requesting and drawing, and slow down the next test. */
export async function closePages(browser: Browser): Promise<void> {
  for (const page of windowsOf(browser).pages) await closePage(page);
}

function windowsOf(browser: Browser): Windows {
  const known = windows.get(browser) ?? { kept: new Map(), pages: new Set() };
  windows.set(browser, known);
  return known;
}

async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  // A worker would take the requests that a test answers. The test of the worker lets it in.
  const context = await browser.newContext({ serviceWorkers: 'block', ...options });
  // A window closes with its last page.
  await context.newPage();
  return context;
}
