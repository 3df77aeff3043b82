// `npm run screenshots`: takes the pictures of the documents from a whole evening with 300 simulated players, into
// docs/screenshots.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type BrowserContextOptions, type Page } from 'playwright-core';
import { findChromium, CHROMIUM_ARGS } from '../../test/browser/findChromium.ts';
import { runToEnd, startEvening } from './evening.ts';

const PICTURES = 'docs/screenshots';
const PHONE: BrowserContextOptions = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const LAPTOP: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
const PROJECTOR: BrowserContextOptions = { viewport: { width: 1280, height: 720 } };
const RAIN = 'annual-party';

const home = mkdtempSync(join(tmpdir(), 'rain-screenshots-'));
const evening = await startEvening(home);
const browser = await chromium.launch({ executablePath: findChromium(), args: CHROMIUM_ARGS });
const take = (page: Page, name: string) => page.screenshot({ path: join(PICTURES, `${name}.png`) });
const open = async (kind: BrowserContextOptions, address: string) => {
  const page = await (await browser.newContext({ locale: 'en-GB', ...kind })).newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(address);
  return page;
};
const shows = (page: Page, face: string) => page.locator(`[data-testid=phone][data-face=${face}]`).waitFor();
const stage = (page: Page, name: string) => page.locator(`[data-testid=hall][data-stage=${name}]`).waitFor();
const screen = async (page: Page, hash: string) => {
  await page.goto(`${evening.console}${hash}`);
  await page.locator('main h1').first().waitFor();
  await page.locator('main .awaited').first().waitFor({ state: 'detached' });
};
/** A guest of the evening, on a phone or a laptop. */
const guest = async (kind: BrowserContextOptions, name: string) => {
  const page = await open(kind, evening.page);
  await page.getByTestId('nickname-field').fill(name);
  await page.getByTestId('nickname-join').click();
  await page.getByTestId('nickname').waitFor({ state: 'hidden' });
  return page;
};
/** Taps across the sky until a packet is hit. */
const tapPackets = async (page: Page) => {
  const sky = (await page.getByTestId('sky').boundingBox())!;
  for (let i = 0; i < 300 && (await page.getByTestId('phone').getAttribute('data-face')) === 'open'; i++) {
    await page.touchscreen.tap(
      sky.x + sky.width * ((i * 0.618) % 1),
      sky.y + sky.height * (0.25 + 0.6 * ((i * 0.414) % 1)),
    );
  }
};

try {
  const operator = await open(LAPTOP, evening.console);
  await operator.getByTestId('name').fill('operator');
  await operator.getByTestId('password').fill(evening.password);
  await operator.getByTestId('enter').click();
  await operator.getByTestId('login').waitFor({ state: 'detached' });
  await screen(operator, '#/create');
  await operator.getByTestId('preset-flash').click();
  await operator.getByTestId('preview').waitFor();
  await take(operator, 'console-create');

  await runToEnd(
    home,
    'create',
    '--id',
    RAIN,
    '--title',
    "New year's rain",
    '--budget',
    '8888.00',
    '--packets',
    '400',
    '--start',
    '+4m',
    '--duration',
    '60s',
    '--sender',
    'Ann Li',
    '--blessing',
    'A happy and healthy new year!',
    '--load',
  );
  const hall = await open(PROJECTOR, new URL('hall', evening.page).href);
  await stage(hall, 'before');
  const [phone, laptop] = [await guest(PHONE, 'Anna'), await guest(LAPTOP, 'Ming')];
  await Promise.all([phone, laptop].map((page) => shows(page, 'scheduled')));
  const crowd = runToEnd(
    home,
    'swarm',
    '--rain',
    RAIN,
    '--users',
    '300',
    '--prefix',
    'player-',
    '--shape',
    'steady',
    '--rate',
    '12',
  );
  await hall.waitForTimeout(3_000);
  await Promise.all([take(hall, 'hall-before'), take(phone, 'player-lobby')]);
  const remote = await open(PHONE, evening.console);
  await remote.context().addCookies(await operator.context().cookies());
  await screen(remote, `#/remote/${RAIN}`);
  await remote.reload();
  await remote.getByTestId('remote').waitFor();
  await take(remote, 'console-remote');

  await runToEnd(home, 'start', RAIN);
  await Promise.all([stage(hall, 'raining'), shows(phone, 'open')]);
  await screen(operator, `#/rains/${RAIN}/live`);
  await hall.waitForTimeout(4_000);
  await take(laptop, 'player-rain');
  await take(hall, 'hall-rain');
  await tapPackets(phone);
  await shows(phone, 'won');
  await phone.waitForTimeout(3_000);
  await take(phone, 'player-win');
  await operator.waitForTimeout(4_000);
  await take(operator, 'console-live');
  await crowd;
  await runToEnd(home, 'close', RAIN);
  await stage(hall, 'after');
  await hall.waitForTimeout(6_000);
  await take(hall, 'hall-after');
  await screen(operator, `#/rains/${RAIN}`);
  await operator.getByText('Settled').first().waitFor();
  await take(operator, 'console-rain');
} finally {
  await browser.close();
  await evening.end();
  rmSync(home, { recursive: true, force: true });
}
