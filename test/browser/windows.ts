import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

export type PageOptions = BrowserContextOptions & { viewport: { width: number; height: number } };

interface Windows {
  /** By what was asked for. */
  kept: Map<string, Promise<BrowserContext>>;
  pages: Set<Page>;
}

const windows = new WeakMap<Browser, Windows>();

/** A new page in a window of this kind. Windows are kept open: a page costs a third of a processor's second, and four times that with a window of its own. */
export async function openPage(browser: Browser, { viewport, reducedMotion, colorScheme, ...options }: PageOptions): Promise<Page> {
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

/** What the page has stored goes with it: the next one in its window finds nothing. */
export async function closePage(page: Page): Promise<void> {
  const { origin } = new URL(page.url());
  if (origin !== 'null') {
    const session = await page.context().newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
  }
  await page.context().clearCookies();
  await page.close();
}

/** Pages that are left open go on asking and drawing, and the next test waits for them. */
export async function closePages(browser: Browser): Promise<void> {
  for (const page of windowsOf(browser).pages) await closePage(page);
}

function windowsOf(browser: Browser): Windows {
  const known = windows.get(browser) ?? { kept: new Map(), pages: new Set() };
  windows.set(browser, known);
  return known;
}

async function openWindow(browser: Browser, options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  // A window ends with its last page.
  await context.newPage();
  return context;
}
