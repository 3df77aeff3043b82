import type { Page } from 'playwright-core';
import type { WorkerProcess } from '../../src/bin/servers/worker.ts';
import { createEntryTokens } from '../../src/console/entryTokens.ts';
import { createGuestTokens } from '../../src/console/guests.ts';
import { startConsole } from '../../src/console/server.ts';
import type { GatewayOptions } from '../../src/gateway/options.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import type { NewSale } from '../../src/ledger/sales.ts';
import { takeReports } from '../../src/orders/reports.ts';
import { createTokenReader } from '../../src/platform/auth/tokenReader.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { SECRET } from '../support/client.ts';
import { SIGNING_SECRET } from '../support/signer.ts';
import { freePort } from '../support/freePort.ts';
import { openTestContext, type TestContext } from '../support/operatorContext.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openWorker } from '../support/servers/worker.ts';
import { openedSale } from '../orders/saleStage.ts';
import { PLAYER_PAGE } from './built-page.ts';
import { launchChromium } from './chromium.ts';
import { EMPTY_BOOK, NO_THEMES, PHONE } from './stage.ts';
import { closePages, openPage, type PageOptions } from './windows.ts';

/**
 * Redis, ledger, gateway, console and a browser: everything that a buyer's page needs. The worker is started by the
 * test.
 */
export interface SaleStage {
  readonly context: TestContext;
  /** A sale in both stores. */
  openSale(id: string, differing?: Partial<NewSale>): Promise<void>;
  /**
   * Opens a page at this address of the console. Default: English, phone, reduced motion, and the demo's shop takes
   * payments.
   */
  open(path: string, options?: Partial<PageOptions> & { pay?: object | undefined }): Promise<Page>;
  /** From now on reservations become orders, and Redis follows the ledger. */
  work(): Promise<void>;
  /** Stops the gateway; `restartGateway` starts one on the same port. */
  stopGateway(): Promise<void>;
  restartGateway(options?: Partial<GatewayOptions>): Promise<void>;
  closeWindows(): Promise<void>;
  end(): Promise<void>;
}

export async function setSaleStage(): Promise<SaleStage> {
  const ends: (() => Promise<void> | void)[] = [];
  const end = async () => {
    for (const step of ends.splice(0).reverse()) await step();
  };
  try {
    const context = await openTestContext();
    ends.push(() => context.stop());
    // Reserves the port, so that nobody else gets it while the gateway is down.
    const port = await freePort();
    const start = (options: Partial<GatewayOptions> = {}) => openGateway(context.redisUrl, { port, ...options });
    let gateway: Gateway = await start();
    ends.push(() => gateway.close());
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
      player: { readToken: createTokenReader({ secret: SECRET }, Date.now), allowedOrigins: [], ...EMPTY_BOOK },
      theme: NO_THEMES,
      shop: {
        secret: SIGNING_SECRET,
        takeReport: takeReports({
          redis: context.redis,
          signer: context.signer,
          ledger: context.ledger,
          deadLetter: ({ saleId, index }) =>
            Promise.reject(new Error(`order ${index} of ${saleId} was paid after its units were released`)),
        }),
      },
      demoShop: true,
    });
    ends.push(() => testConsole.close());
    const browser = await launchChromium();
    ends.push(() => browser.close());
    let worker: WorkerProcess | undefined;
    return {
      context,
      end,
      openSale: async (id, differing) => {
        await openedSale(context, id, differing);
      },
      async open(path, options = {}) {
        const { pay, ...windowOptions } = options;
        const page = await openPage(browser, {
          locale: 'en-US',
          viewport: PHONE,
          hasTouch: true,
          reducedMotion: 'reduce',
          ...windowOptions,
        });
        if ('pay' in options) await configurePay(page, pay);
        await page.goto(testConsole.url + path);
        return page;
      },
      async work() {
        worker ??= await openWorker(context);
        ends.push(() => worker?.close());
      },
      stopGateway: () => gateway.close(),
      restartGateway: async (options) => {
        gateway = await start(options);
      },
      closeWindows: () => closePages(browser),
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** The console's setting for another shop: `PAY_URL`, or nothing. */
async function configurePay(page: Page, pay: object | undefined): Promise<void> {
  await page.route('**/api/config', async (route) => {
    const { pay: _, ...config } = (await (await route.fetch()).json()) as { pay?: object };
    await route.fulfill({ json: { ...config, ...(pay && { pay }) } });
  });
}
