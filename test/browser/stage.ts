import type { Browser, Page } from 'playwright-core';
import type { PlayerOptions } from '../../src/console/player/routes.ts';
import { createEntryTokens } from '../../src/console/entryTokens.ts';
import type { EntryOptions } from '../../src/console/player/entry.ts';
import { createGuestTokens, type GuestTokens } from '../../src/console/guests.ts';
import { startConsole, type Console, type ConsoleOptions } from '../../src/console/server.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { createTokenReader } from '../../src/platform/auth/tokenReader.ts';
import { participantId } from '../../src/rain/names.ts';
import { SECRET } from '../support/client.ts';
import { freePort } from '../support/freePort.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { connect } from '../support/rain.ts';
import { signer } from '../support/signer.ts';
import { startRedis, type TestRedis } from '../support/servers/redis.ts';
import { PLAYER_PAGE } from './built-page.ts';
import { launchChromium } from './chromium.ts';
import { closePages, openPage, type PageOptions } from './windows.ts';

export const PHONE = { width: 390, height: 844 };

/** Redis, gateway, console and a browser on this test's own ports: everything that a page needs to play. */
export interface Stage {
  readonly redis: RedisClient;
  readonly testRedis: TestRedis;
  readonly gateway: Gateway;
  readonly console: Console;
  /** Opens a page at this address of the console. Default: English, phone, reduced motion. */
  open(path?: string, options?: Partial<PageOptions>): Promise<Page>;
  /** Stops the gateway; `restartGateway` starts one on the same port. */
  stopGateway(): Promise<void>;
  /** By number. */
  readonly codes: ReadonlyMap<string, string>;
  removeParticipant(number: string): void;
  restartGateway(options?: Partial<GatewayOptions>): Promise<void>;
  closeWindows(): Promise<void>;
  end(): Promise<void>;
}

interface StageOptions {
  /** `false`: the console issues no guest tokens. */
  guests?: GuestTokens | false;
  guestsAre?: 'tab' | 'device';
  /** People on the list of participants. */
  participants?: readonly { number: string; name: string }[];
  /** Its title. */
  event?: string;
  gateway?: Partial<GatewayOptions>;
  /** Default: a ledger without themes. */
  theme?: ConsoleOptions['theme'];
  /** Wallet statements of the ledger; empty by default. */
  book?: Partial<Pick<PlayerOptions, 'openWalletStatement' | 'leaderboard'>>;
}

export const EMPTY_BOOK: Pick<PlayerOptions, 'openWalletStatement' | 'leaderboard'> = {
  openWalletStatement: async (userId) => ({ userId, wallet: '0.00', pending: '0.00', packets: [], settled: true }),
  leaderboard: async (rainId) => ({ rainId, luckiest: [], final: true }),
};

/** The themes of a ledger that has none. */
export const NO_THEMES: NonNullable<ConsoleOptions['theme']> = {
  themes: {
    greeting: async () => undefined,
    invitedGreeting: async () => undefined,
    show: async () => ({}),
    file: async () => undefined,
  },
  allowedOrigins: [],
};

export async function setStage({
  guests = createGuestTokens({ secret: SECRET }),
  guestsAre = 'tab',
  participants,
  event,
  gateway: rules = {},
  theme = NO_THEMES,
  book = {},
}: StageOptions = {}): Promise<Stage> {
  const ends: (() => Promise<void> | void)[] = [];
  const end = async () => {
    for (const step of ends.splice(0).reverse()) await step();
  };
  try {
    const testRedis = await startRedis();
    ends.push(() => testRedis.stop());
    const redis = await connect(testRedis.url);
    ends.push(() => redis.disconnect());
    // Reserves the port, so that nobody else gets it while the gateway is down.
    let gateway = await openGateway(testRedis.url, { port: await freePort(), ...rules });
    ends.push(() => gateway.close());
    const codes = new Map((participants ?? []).map(({ number }) => [number, signer.participantCodes(number, 0)[0]!]));
    const entry: EntryOptions = {
      tokens: createEntryTokens({ secret: SECRET }),
      screens: true,
      ...(guests && { guests }),
      ...(participants && {
        enterByCode: async (code: string) => {
          const person = participants.find(({ number }) => codes.get(number) === code);
          return person && { userId: participantId(person.number, person.name), name: person.name };
        },
      }),
    };
    const testConsole = await startConsole({
      host: '127.0.0.1',
      port: 0,
      gatewayUrl: gateway.url,
      pageFolder: PLAYER_PAGE,
      log: createLog('console', 'silent'),
      entry,
      guestsAre,
      ...(event !== undefined && { event }),
      player: {
        readToken: createTokenReader({ secret: SECRET }, Date.now),
        allowedOrigins: [],
        ...EMPTY_BOOK,
        ...book,
      },
      theme,
    });
    ends.push(() => testConsole.close());
    const browser = await launchChromium();
    ends.push(() => browser.close());
    return {
      redis,
      testRedis,
      console: testConsole,
      codes,
      removeParticipant: (number) => {
        codes.delete(number);
      },
      get gateway() {
        return gateway;
      },
      open: (path = '/', options = {}) => openWindow(browser, testConsole.url + path, options),
      stopGateway: () => gateway.close(),
      async restartGateway(options = {}) {
        await gateway.close();
        gateway = await openGateway(testRedis.url, { port: gateway.port, ...rules, ...options });
      },
      closeWindows: () => closePages(browser),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

async function openWindow(browser: Browser, url: string, options: Partial<PageOptions>): Promise<Page> {
  const page = await openPage(browser, {
    locale: 'en-US',
    viewport: PHONE,
    hasTouch: true,
    reducedMotion: 'reduce',
    ...options,
  });
  await page.goto(url);
  return page;
}
