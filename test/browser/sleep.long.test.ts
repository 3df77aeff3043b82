import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { launchChromium, WITHOUT_CHROMIUM } from './chromium.ts';
import { untilStage } from './hallScreen.ts';
import { shows } from './player.ts';
import { openScriptedPage, saleSnapshotOf, snapshotOf, type ScriptedPage } from './scriptedPage.ts';

const ASLEEP_MS = 300_000;
/** Pings with which a connection begins. */
const FIRST_PINGS = 5;

let browser: Browser;
beforeAll(async () => {
  if (!WITHOUT_CHROMIUM) browser = await launchChromium();
});
afterAll(() => browser?.close());

/** The page's monotonic clock stands still while the phone sleeps, and its wall clock goes on. */
const withSleep = (page: Page) =>
  page.addInitScript(() => {
    const wall = Date.now.bind(Date);
    Object.assign(window, { sleptMs: 0 });
    Date.now = () => wall() + (window as unknown as { sleptMs: number }).sleptMs;
  });
async function sleep({ page, pings, tellTimeLater }: ScriptedPage, isSeen = true): Promise<void> {
  // The first ones are answered fast, and before the sleep.
  await eventually(() => pings() >= FIRST_PINGS);
  tellTimeLater(ASLEEP_MS);
  await page.evaluate(
    ([ms, seen]) => {
      Object.assign(window, { sleptMs: ms });
      if (seen) document.dispatchEvent(new Event('visibilitychange'));
    },
    [ASLEEP_MS, isSeen] as const,
  );
}
const ahead = () => ({ state: 'loaded', opensAt: Date.now() + ASLEEP_MS, closesAt: Date.now() + 9e8 }) as const;

test.skipIf(WITHOUT_CHROMIUM).each([
  ['that becomes visible', true],
  ['without an event', false],
])(
  'a phone %s after five minutes of sleep rains with the others, and joins again',
  async (_what, isSeen) => {
    const phone = await openScriptedPage(browser, { rain: snapshotOf('slept', ahead()), prepare: withSleep });
    await shows(phone.page, 'scheduled');
    await sleep(phone, isSeen);
    await shows(phone.page, 'open');
    await eventually(() => phone.said('join').length === 2);
  },
  60_000,
);

test.skipIf(WITHOUT_CHROMIUM)(
  'so do a sale and the screen of a hall',
  async () => {
    const hall = await openScriptedPage(browser, {
      path: '/hall',
      rain: snapshotOf('slept', ahead()),
      prepare: withSleep,
    });
    await untilStage(hall.page, 'before');
    await sleep(hall);
    await untilStage(hall.page, 'raining');
    const shop = await openScriptedPage(browser, { prepare: withSleep });
    await shows(shop.page, 'no_rain');
    shop.tell(saleSnapshotOf('goods', ahead()));
    await shop.page.getByTestId('sale-link').click();
    await shop.page.locator('.sale[data-state=loaded]').waitFor();
    await sleep(shop);
    await shop.page.locator('.sale[data-state=open]').waitFor();
  },
  120_000,
);
