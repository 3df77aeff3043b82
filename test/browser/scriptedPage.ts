import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { createEntryTokens } from '../../src/console/entryTokens.ts';
import { createGuestTokens } from '../../src/console/guests.ts';
import type { PlayerOptions } from '../../src/console/player/routes.ts';
import type { ThemeReader } from '../../src/console/player/theme.ts';
import { startConsole } from '../../src/console/server.ts';
import type { GrabMessage, RainSnapshot, ResultMessage, ServerMessage } from '../../src/protocol/messages.ts';
import { OUTCOMES, type OutcomeCode } from '../../src/protocol/outcomes.ts';
import type { SaleSnapshot } from '../../src/protocol/saleMessages.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { createTokenReader } from '../../src/platform/auth/tokenReader.ts';
import { SECRET } from '../support/client.ts';
import { scriptedGateway, welcomeOf, type Visit } from '../support/servers/scriptedGateway.ts';
import { PLAYER_PAGE } from './built-page.ts';
import { EMPTY_BOOK, NO_THEMES, PHONE } from './stage.ts';
import { closePage, openPage, type PageOptions } from './windows.ts';

export const USER = 'guest-p1';

export const snapshotOf = (rainId: string, change: Partial<RainSnapshot> = {}): RainSnapshot => ({
  type: 'rain',
  rainId,
  title: rainId,
  state: 'open',
  opensAt: Date.now() - 1_000,
  closesAt: Date.now() + 600_000,
  packets: 20,
  left: 12,
  serverTime: Date.now(),
  ...change,
});

export const saleSnapshotOf = (saleId: string, change: Partial<SaleSnapshot> = {}): SaleSnapshot => ({
  type: 'sale',
  saleId,
  title: saleId,
  state: 'open',
  opensAt: Date.now() - 1_000,
  closesAt: Date.now() + 600_000,
  holdMs: 60_000,
  items: [{ sku: 'seat', name: 'Seat', price: '0.00', units: 100, left: 100 }],
  serverTime: Date.now(),
  ...change,
});

type Packet = Pick<ResultMessage, 'redPacketId' | 'amount'>;
const resultOf = (rainId: string, code: OutcomeCode, packet: Packet = {}): ResultMessage => ({
  type: 'result',
  rainId,
  code,
  reason: OUTCOMES[code].reason,
  ...packet,
});

/** The player's page with a scripted gateway that the test controls. Other tests use real servers. */
export interface ScriptedPage {
  page: Page;
  address: string;
  /** Messages from the page since it connected, without pings. */
  said(type: 'join' | 'grab'): { rainId: string }[];
  /** How many pings were answered. */
  pings(): number;
  /** Answers a join or a visit with the last snapshot of the rain or sale, or with "unknown". */
  tell(told: RainSnapshot | SaleSnapshot): void;
  say(message: ServerMessage): void;
  /** Sets the answer to grabs. By default grabs are not answered. */
  answer(code: OutcomeCode, packet?: Packet): void;
  /** Closes the connections and refuses new ones until it is opened again. */
  shut(): void;
  reopen(): void;
  /** The time that the gateway tells from now on is so much later than the real one. */
  tellTimeLater(ms: number): void;
}

interface ScriptedPageOptions {
  rain?: RainSnapshot;
  /** The path of the page; the player's by default. */
  path?: string;
  window?: Partial<PageOptions>;
  event?: string;
  book?: Partial<Pick<PlayerOptions, 'openWalletStatement' | 'leaderboard'>>;
  /** The themes of a ledger. */
  themes?: ThemeReader;
  /** Runs before the page is opened. */
  prepare?: (page: Page) => Promise<unknown>;
}

/** Default: English, phone, reduced motion. Animations cost CPU time, so only the tests that need them enable them. */
export async function openScriptedPage(
  browser: Browser,
  { rain, path = '/', window = {}, event, book = {}, themes, prepare }: ScriptedPageOptions = {},
): Promise<ScriptedPage> {
  const rains = new Map<string, RainSnapshot>();
  const sales = new Map<string, SaleSnapshot>();
  if (rain) rains.set(rain.rainId, rain);
  let visit: Visit | undefined;
  let shut = false;
  let laterMs = 0;
  let answer: [OutcomeCode, Packet?] | undefined;
  const gateway = await scriptedGateway(
    (comer) => {
      if (shut) return comer.close(1012);
      visit = comer;
      comer.say(welcomeOf(USER, Date.now() + laterMs));
    },
    (message, { say }) => {
      if (message.type === 'ping') say({ type: 'pong', t: message.t, serverTime: Date.now() + laterMs });
      if (message.type === 'join') say(rains.get(message.rainId) ?? resultOf(message.rainId, '-8'));
      if (message.type === 'visit')
        say(sales.get(message.saleId) ?? { type: 'order', saleId: message.saleId, code: '-8', reason: 'no_such_sale' });
      if (message.type === 'grab' && answer)
        say({ ...resultOf(message.rainId, ...answer), ...(message.ref !== undefined && { ref: message.ref }) });
    },
  );
  const testConsole = await startConsole({
    host: '127.0.0.1',
    port: 0,
    gatewayUrl: gateway.url,
    pageFolder: PLAYER_PAGE,
    log: createLog('console', 'silent'),
    entry: {
      guests: createGuestTokens({ secret: SECRET }),
      tokens: createEntryTokens({ secret: SECRET }),
      screens: true,
    },
    ...(event !== undefined && { event }),
    theme: themes ? { themes, allowedOrigins: [] } : NO_THEMES,
    player: { readToken: createTokenReader({ secret: SECRET }, Date.now), allowedOrigins: [], ...EMPTY_BOOK, ...book },
  });
  onTestFinished(() => testConsole.close());
  const page = await openPage(browser, {
    locale: 'en-US',
    viewport: PHONE,
    hasTouch: true,
    reducedMotion: 'reduce',
    ...window,
  });
  onTestFinished(() => closePage(page));
  await prepare?.(page);
  await page.goto(`${testConsole.url}${path}${rain ? `?rain=${rain.rainId}` : ''}`);
  return {
    page,
    address: testConsole.url,
    said: (type) => gateway.heard.filter((message): message is GrabMessage => message.type === type),
    pings: () => gateway.heard.filter(({ type }) => type === 'ping').length,
    tell(told) {
      if (told.type === 'rain') rains.set(told.rainId, told);
      else sales.set(told.saleId, told);
      visit?.say(told);
    },
    say: (message) => visit?.say(message),
    answer: (...told) => {
      answer = told;
    },
    shut() {
      shut = true;
      visit?.close(1012);
    },
    reopen: () => {
      shut = false;
    },
    tellTimeLater: (ms) => {
      laterMs = ms;
    },
  };
}
