import type { Browser } from 'playwright-core';
import { runSaleSwarm } from '../../src/loadtest/sale/swarm.ts';
import type { SaleSwarmReport } from '../../src/loadtest/sale/report.ts';
import type { Gateway } from '../../src/gateway/server.ts';
import { tokenFor } from '../support/client.ts';
import { openGateway } from '../support/servers/gateway.ts';
import { openTestConsole, type TestConsole } from '../support/servers/testConsole.ts';
import { openWorker } from '../support/servers/worker.ts';
import { buildShippedPage, OPERATOR_PAGE } from './built-page.ts';
import { launchChromium } from './chromium.ts';

/** A console with its page, a gateway, a worker and a browser: everything that a sale needs. */
export interface SaleHouse {
  testConsole: TestConsole;
  browser: Browser;
  gateway: Gateway;
  /** Simulated buyers, who buy and do nothing else. */
  buy(saleId: string, users: number): Promise<SaleSwarmReport>;
  end(): Promise<void>;
}

export async function openSaleHouse(): Promise<SaleHouse> {
  const ends: (() => unknown)[] = [];
  const end = async () => {
    for (const step of ends.splice(0).reverse()) await step();
  };
  try {
    await buildShippedPage();
    const browser = await launchChromium();
    ends.push(() => browser.close());
    const testConsole = await openTestConsole({ consoleFolder: OPERATOR_PAGE });
    ends.push(() => testConsole.stop());
    const worker = await openWorker(testConsole);
    ends.push(() => worker.close());
    const gateway = await openGateway(testConsole.redisUrl);
    ends.push(() => gateway.close());
    const buy = (saleId: string, users: number) =>
      runSaleSwarm({
        url: gateway.url,
        saleId,
        users,
        shares: { pay: 0, cancel: 0, repeat: 0, hostile: 0 },
        tokenFor,
        reactionMs: { min: 0, max: 200 },
        settleMs: 10_000,
        seed: '5eed'.repeat(16),
      });
    return { testConsole, browser, gateway, buy, end };
  } catch (error) {
    await end();
    throw error;
  }
}
