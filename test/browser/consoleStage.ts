import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ConsoleOptions } from '../../src/console/server.ts';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';
import { buildShippedPage, OPERATOR_PAGE } from './built-page.ts';
import { launchChromium } from './chromium.ts';
import { openConsole, signIn } from './operator.ts';
import { closePages, type PageOptions } from './windows.ts';

/**
 * At the head of a `describe`: a real console with the operator's page, and a browser, for all of its tests.
 * @param prepare makes the state before the first page is opened
 * @param own differences in its backend
 */
export function setConsoleStage(
  options: Partial<ConsoleOptions> = {},
  prepare: (testConsole: TestConsole) => Promise<void> = async () => {},
  own: Parameters<typeof openTestConsole>[1] = {},
) {
  let testConsole: TestConsole;
  let browser: Browser;
  beforeAll(() => buildShippedPage());
  beforeAll(async () => {
    [testConsole, browser] = await Promise.all([
      openTestConsole({ consoleFolder: OPERATOR_PAGE, ...options }, own),
      launchChromium(),
    ]);
    await prepare(testConsole);
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await browser?.close();
    await testConsole?.stop();
  });
  return {
    get testConsole() {
      return testConsole;
    },
    get browser() {
      return browser;
    },
    get system() {
      return { consoleUrl: testConsole.url };
    },
    /** A page on which this operator is signed in. */
    async open(name: string, hash = '', look: Partial<PageOptions> = {}) {
      const opened = await openConsole(browser, { consoleUrl: testConsole.url }, hash, look);
      await signIn(opened.page, name);
      return opened;
    },
  };
}

/** Asks again, also on a busy machine. */
export const soon = <T>(look: () => T) => expect.poll(look, { timeout: 40_000, interval: 100 });
export const isWiderThanScreen = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
