import type { Browser, Page } from 'playwright-core';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../src/protocol/constants.ts';
import { signToken } from '../../src/platform/auth/token.ts';
import { homeAt } from '../../src/platform/process/home.ts';
import { lanAddresses } from '../../src/bin/up/event.ts';
import { launchChromium, WITHOUT_CHROMIUM } from '../browser/chromium.ts';
import { buy, itemShows } from '../browser/buyer.ts';
import { goTo, makeRain, openConsole, photograph, signIn, startAtOnce } from '../browser/operator.ts';
import { shows, tapPackets, text } from '../browser/player.ts';
import { closePages, openPage } from '../browser/windows.ts';
import { rain } from '../support/call.ts';
import { startEvent } from '../support/evening.ts';
import { pngOf } from '../support/png.ts';
import { memoryFolder } from '../support/runner/memoryFolder.ts';
import { layDatabase } from '../support/servers/pglite.ts';

const PROJECTOR = { width: 1024, height: 768 };
const PHONE = { width: 390, height: 844 };
const GUESTS = ['Anna', '王小明', 'Bob'] as const;
/** One fewer than guests: somebody hears "no". */
const PACKETS = GUESTS.length - 1;

describe.skipIf(WITHOUT_CHROMIUM || lanAddresses().length === 0)('an evening', () => {
  let browser: Browser;
  const homes: string[] = [];
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterEach(() => closePages(browser));
  afterAll(async () => {
    await browser?.close();
    for (const home of homes) rmSync(home, { recursive: true, force: true });
  });
  const emptyHome = () => {
    const home = memoryFolder('rain-test-evening-');
    homes.push(home);
    return home;
  };
  /** Without tables it takes as long to start as an evening does; the first test shows that it does. */
  const homeWithDatabase = async () => {
    const home = emptyHome();
    await layDatabase(homeAt(home));
    return home;
  };

  const soon = <T>(look: () => T) => expect.poll(look, { timeout: 40_000, interval: 100 });
  const untilStage = (hall: Page, stage: string) =>
    hall.locator(`[data-testid=hall][data-stage=${stage}]`).waitFor({ timeout: 60_000 });

  const phoneOf = (name: string) =>
    openPage(browser, {
      viewport: PHONE,
      hasTouch: true,
      isMobile: true,
      locale: name === '王小明' ? 'zh-CN' : 'en-US',
      userAgent: `phone of ${name}`,
    });

  /** A phone of its own, at the address that the hall shows, under this name. */
  async function join(address: string, name: string): Promise<Page> {
    const phone = await phoneOf(name);
    await phone.goto(`http://${address}`);
    await phone.getByTestId('nickname-field').fill(name);
    await phone.getByTestId('nickname-join').click();
    await phone.getByTestId('nickname').waitFor({ state: 'hidden' });
    return phone;
  }

  test(
    'from an empty folder: an operator prepares a rain, guests come by the address on the screen and give their names, some win, the screen names them, and the list is printed',
    { timeout: 300_000 },
    async () => {
      const evening = await startEvent(emptyHome());
      const { page: operator, faults } = await openConsole(browser, { consoleUrl: new URL(evening.console).origin });
      await signIn(operator, 'operator', evening.password!);
      const rainId = await makeRain(operator, { title: 'Round one', startIn: '3600', packets: PACKETS });

      const hall = await openPage(browser, { viewport: PROJECTOR, locale: 'en-US' });
      await hall.goto(new URL('hall', evening.page).href);
      await untilStage(hall, 'before');
      expect([await text(hall, 'event'), await text(hall, 'title')]).toEqual(['Annual party', 'Round one']);
      const address = await text(hall, 'address');
      await photograph(hall, 'before', 'evening');
      const phones: Page[] = [];
      for (const name of GUESTS) phones.push(await join(address, name));
      for (const phone of phones) await shows(phone, 'scheduled');

      // An hour before its time, by hand.
      await startAtOnce(operator);
      await untilStage(hall, 'raining');
      for (const phone of phones) await shows(phone, 'open');
      const [anna, ming, bob] = phones as [Page, Page, Page];
      for (const winner of [anna, ming]) {
        await tapPackets(winner);
        await shows(winner, 'won');
      }
      await shows(bob, 'gone');
      await photograph(anna, 'won', 'evening');

      await goTo(operator, `#/rains/${rainId}`);
      await operator.getByTestId('verb-close').click();
      await operator.getByTestId('act').click();
      await untilStage(hall, 'after');
      await soon(() => hall.getByTestId('places').locator('li').count()).toBe(PACKETS);
      const luckiest = await hall.getByTestId('places').textContent();
      for (const name of ['Anna', '王小明']) expect(luckiest).toContain(name);
      expect(await text(hall, 'sum')).toContain(`${PACKETS} won`);
      await photograph(hall, 'after', 'evening');

      await goTo(operator, `#/rains/${rainId}/winners`);
      await soon(() => operator.locator('[data-testid=winner] [data-status=credited]').count()).toBe(PACKETS);
      await operator.getByTestId('to-sheet').click();
      await soon(() => operator.getByTestId('sheet-row').count()).toBe(PACKETS);
      const rows = await operator.getByTestId('sheet-row').allTextContents();
      expect([rows[0], rows[1]]).toEqual([
        expect.stringContaining('1Anna') as string,
        expect.stringContaining('2王小明') as string,
      ]);
      expect(await text(operator, 'sheet')).toContain('2 winners, ¥88.80 in all');
      expect(faults).toEqual([]);
    },
  );

  test(
    'a ticket drop with three seats, in the theme of the event: the screen shows it by itself, leads to it, counts down what is left, and ends it',
    { timeout: 300_000 },
    async () => {
      const home = await homeWithDatabase();
      const evening = await startEvent(home);
      const done = async (...words: string[]) =>
        expect(await rain(words, { RAIN_HOME: home }), words.join(' ')).toMatchObject({ exit: 0 });
      writeFileSync(`${home}/logo.png`, pngOf(240, 80, [255, 209, 102]));
      await done(
        'theme',
        'set',
        'gala',
        '--title',
        'Gala',
        '--background',
        '#10305c',
        '--accent',
        '#ffd166',
        '--default',
      );
      await done('theme', 'file', 'gala', 'logo', `${home}/logo.png`);
      const hall = await openPage(browser, { viewport: PROJECTOR, locale: 'en-US' });
      await hall.goto(new URL('hall', evening.page).href);
      await untilStage(hall, 'quiet');
      await hall.getByTestId('logo').locator('img').waitFor();
      expect(await hall.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(16, 48, 92)');

      await done(
        'sale',
        'create',
        '--id',
        'seats',
        '--title',
        'Seats at the gala',
        '--item',
        'seat:3@0',
        '--start',
        '+1h',
        '--duration',
        '10m',
        '--load',
      );
      await untilStage(hall, 'sale_before');
      expect([await text(hall, 'title'), await text(hall, 'items')]).toEqual(['Seats at the gala', 'seat3pieces']);
      const address = await text(hall, 'address');
      expect(address).toMatch(/\/\?sale=seats$/);
      await photograph(hall, 'drop-before', 'evening');
      const phones: Page[] = [];
      for (const name of GUESTS) phones.push(await join(address, name));
      await done('sale', 'start', 'seats');
      await untilStage(hall, 'selling');
      for (const [i, phone] of phones.entries()) {
        await itemShows(phone, 'seat', 'buy');
        await buy(phone, 'seat');
        await soon(() => text(hall, 'items')).toContain(i < 2 ? `${2 - i}of 3 left` : '3of 3 taken');
      }
      await untilStage(hall, 'sold_out');
      await photograph(hall, 'drop-after', 'evening');
      await hall.goto(new URL('hall/seats', evening.page).href);
      await untilStage(hall, 'sold_out');
      await soon(
        async () =>
          (await rain(['sale', 'orders', 'seats', '--csv'], { RAIN_HOME: home })).stdout.match(/,paid,/g)?.length,
      ).toBe(3);
    },
  );

  test(
    'a list of 30 people is imported and its cards are printed; three come by their links, nobody else plays, and the list to sign names the one who wins',
    { timeout: 300_000 },
    async () => {
      const home = await homeWithDatabase();
      const evening = await startEvent(home, '--participants');
      const { page: operator, faults } = await openConsole(browser, { consoleUrl: new URL(evening.console).origin });
      await signIn(operator, 'operator', evening.password!);
      // A guest of another evening has a token under the secret of this folder.
      const { jwtSecret } = JSON.parse(readFileSync(`${home}/secrets.json`, 'utf8')) as { jwtSecret: string };
      const { gatewayUrl } = (await (await fetch(new URL('api/config', evening.page))).json()) as {
        gatewayUrl: string;
      };
      const former = new WebSocket(gatewayUrl, [
        SUBPROTOCOL,
        BEARER_PREFIX + (await signToken(jwtSecret, { sub: 'guest-former', expiresInSeconds: 600 })),
      ]);
      const [{ message }] = (await once(former, 'error')) as [Error];
      expect(message).toContain('401');
      await goTo(operator, '#/participants');
      const people = ['Anna Li', '王小明', 'Bob Wu', ...Array.from({ length: 27 }, (_, i) => `Person ${i + 4}`)].map(
        (name, i) => `E${1_001 + i},${name},Sales\n`,
      );
      await operator.getByTestId('list').setInputFiles({
        name: 'staff.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(`number,name,department\n${people.join('')}`),
      });
      await operator.getByTestId('import').click();
      await soon(() => operator.getByTestId('participant').count()).toBe(people.length);
      await operator.getByTestId('to-cards').click();
      await soon(() => operator.getByTestId('card').count()).toBe(people.length);
      const codes = await operator.getByTestId('card-code').allTextContents();
      const rainId = await makeRain(operator, { title: 'For staff', startIn: '3600', packets: 1 });

      const hall = await openPage(browser, { viewport: PROJECTOR, locale: 'en-US' });
      await hall.goto(new URL('hall', evening.page).href);
      await untilStage(hall, 'before');
      const phones: Page[] = [];
      for (const [i, name] of ['Anna Li', '王小明'].entries()) {
        const phone = await phoneOf(name);
        await phone.goto(`${evening.page}#code=${codes[i]!.replace('-', '')}`);
        phones.push(phone);
      }
      const typing = await phoneOf('Bob Wu');
      await typing.goto(evening.page);
      await typing.getByTestId('code-field').fill(codes[2]!.toLowerCase());
      await typing.getByTestId('code-join').click();
      phones.push(typing);
      for (const phone of phones) await shows(phone, 'scheduled');
      const stranger = await phoneOf('stranger');
      await stranger.goto(evening.page);
      await stranger.getByTestId('code-field').fill('AAAAA-AAAAA');
      await stranger.getByTestId('code-join').click();
      await soon(() => text(stranger, 'code-error')).not.toBe('');
      await goTo(operator, '#/participants');
      await soon(() => text(operator, 'participant-counts')).toContain('3 came in');
      await photograph(operator, 'participants', 'evening');

      await goTo(operator, `#/rains/${rainId}`);
      await startAtOnce(operator);
      const [anna, ...others] = phones as [Page, ...Page[]];
      await shows(anna, 'open');
      await tapPackets(anna);
      await shows(anna, 'won');
      for (const phone of others) await shows(phone, 'gone');
      await soon(() => hall.getByTestId('places').textContent()).toContain('Anna Li');
      await goTo(operator, `#/rains/${rainId}/winners/sheet`);
      await soon(() => operator.getByTestId('sheet-row').allTextContents()).toEqual([
        expect.stringMatching(/Anna Li.* · E1001/),
      ]);
      expect(faults).toEqual([]);
    },
  );
});
