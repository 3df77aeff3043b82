import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stockRain } from '../support/rain.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { untilStage } from './hallScreen.ts';
import { shows, tapPackets, text } from './player.ts';
import { openScriptedPage, saleSnapshotOf, snapshotOf } from './scriptedPage.ts';
import { setStage, type Stage } from './stage.ts';

/** Takes away what Chromium 80 or Safari 14.1 lack. */
const makeOlder = (page: Page) =>
  page.addInitScript(() => {
    const lacking: [object, string][] = [
      [AbortSignal, 'timeout any abort'],
      [CanvasRenderingContext2D.prototype, 'roundRect createConicGradient reset'],
      [Array.prototype, 'at findLast findLastIndex toSorted toReversed toSpliced with'],
      [String.prototype, 'at replaceAll isWellFormed'],
      [Object, 'hasOwn groupBy'],
      [Promise, 'any withResolvers try'],
      [Crypto.prototype, 'randomUUID'],
      [Element.prototype, 'replaceChildren checkVisibility requestFullscreen'],
      [HTMLDialogElement.prototype, 'open show showModal close requestClose'],
      [URL, 'canParse parse'],
      [window, 'structuredClone WeakRef FinalizationRegistry OffscreenCanvas BroadcastChannel requestIdleCallback'],
    ];
    for (const [owner, names] of lacking) for (const name of names.split(' ')) Reflect.deleteProperty(owner, name);
    const listen = EventTarget.prototype.addEventListener;
    EventTarget.prototype.addEventListener = function (this: EventTarget, type, heard, options) {
      const { signal: _unknown, ...known } = typeof options === 'object' ? options : { capture: options ?? false };
      listen.call(this, type, heard, known);
    } as typeof listen;
    const Modern = Worker;
    window.Worker = class extends Modern {
      constructor(address: string | URL, options: WorkerOptions = {}) {
        if (options.type === 'module') throw new TypeError('no module is a worker here');
        super(address);
      }
    };
  });

function faultsOf(page: Page): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  return faults;
}

let browser: Browser;
beforeAll(async () => {
  if (!WITHOUT_CHROMIUM) browser = await launchChromium();
});
afterAll(() => browser?.close());

describe.skipIf(WITHOUT_CHROMIUM)('a browser of 2020, as inside a chat app', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await setStage({ guestsAre: 'device', event: 'Annual party' });
  });
  afterAll(() => stage?.end());

  test('asks for a name, shows the rain, wins, and opens the wallet', async () => {
    await stockRain(stage.redis, { rainId: 'older', amounts: ['12.21'] });
    const page = await stage.open('/favicon.svg', { reducedMotion: 'no-preference' });
    const faults = faultsOf(page);
    await makeOlder(page);
    await page.goto(`${stage.console.url}/?rain=older`);
    await page.getByTestId('nickname-field').fill('Dora');
    expect(await page.getByTestId('code').isVisible()).toBe(false);
    await page.getByTestId('nickname-join').click();
    await shows(page, 'open');
    await tapPackets(page);
    await shows(page, 'won');
    expect(await text(page, 'big')).toBe('¥12.21');
    await page.getByTestId('wallet-button').click();
    await page.getByTestId('wallet-word').filter({ hasText: /./ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByTestId('wallet').waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
  }, 60_000);

  test('shows a sale, and the screen of a hall', async () => {
    const AHEAD = { state: 'loaded', opensAt: Date.now() + 600_000, closesAt: Date.now() + 900_000 } as const;
    const older = { prepare: makeOlder, rain: snapshotOf('beside', AHEAD) };
    const { page, tell, address } = await openScriptedPage(browser, older);
    const faults = faultsOf(page);
    await shows(page, 'scheduled');
    tell(saleSnapshotOf('goods'));
    await page.getByTestId('sale-link').click();
    await page.getByTestId('item').waitFor();
    await page.goto(`${address}/hall?rain=beside`);
    await untilStage(page, 'before');
    tell(snapshotOf('beside'));
    await untilStage(page, 'raining');
    expect(faults).toEqual([]);
  }, 60_000);
});

describe.skipIf(WITHOUT_CHROMIUM)('a page that cannot be shown', () => {
  const notice = (page: Page) => page.getByTestId('not-shown');
  const TOO_OLD = /浏览器太旧.*too old for this page/s;

  async function openWith(prepare: (page: Page) => Promise<unknown>, path = '/'): Promise<Page> {
    return (await openScriptedPage(browser, { rain: snapshotOf('r1'), prepare, path })).page;
  }

  test.each(['/', '/hall'])('says at %s in both languages that the browser is too old', async (path) => {
    const without = await openWith((page) => page.addInitScript(() => Reflect.deleteProperty(window, 'BigInt')), path);
    expect(await notice(without).textContent()).toMatch(TOO_OLD);
    const unread = await openWith(
      (page) =>
        page.route('**/assets/*.js', (route) => route.fulfill({ contentType: 'text/javascript', body: 'a ?.= 1' })),
      path,
    );
    expect(await notice(unread).textContent()).toMatch(TOO_OLD);
  });

  test.each(['/', '/hall'])(
    'is not shown bare at %s when its style sheet did not come, and offers to load it again',
    async (path) => {
      let isCut = true;
      const page = await openWith(
        (opened) => opened.route('**/assets/*.css', (route) => (isCut ? route.abort() : route.continue())),
        path,
      );
      expect(await notice(page).textContent()).toMatch(/重新加载.*did not load/s);
      expect(await page.locator('main').isVisible()).toBe(false);
      isCut = false;
      await notice(page).getByRole('button').click();
      await page.locator('main').waitFor();
      expect(await notice(page).count()).toBe(0);
    },
  );

  test('says so when a script did not come', async () => {
    const page = await openWith((opened) => opened.route('**/assets/index-*.js', (route) => route.abort()));
    expect(await notice(page).textContent()).toMatch(/重新加载.*did not load/s);
  });
});
