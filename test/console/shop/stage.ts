import { takeReports } from '../../../src/orders/reports.ts';
import { addOrderLetters, readOrderLetters } from '../../../src/orders/deadLetters.ts';
import type { OrderLetter } from '../../../src/orders/deadLetter.ts';
import { signatureOf } from '../../../src/platform/auth/requestSignature.ts';
import { SECRET } from '../../credit/wallet.ts';
import { openTestConsole, type TestConsole } from '../../support/servers/testConsole.ts';
import type { ConsoleOptions } from '../../../src/console/server.ts';
import type { Ledger } from '../../../src/ledger/ledger.ts';

interface Told {
  status: number;
  body: Record<string, unknown>;
  retryAfter: string | null;
}

interface Reporting {
  secret?: string;
  /** Epoch ms of the signature. */
  at?: number;
  /** Order of the address; default: that of the body. */
  address?: string;
  body?: string;
  headers?: Record<string, string>;
}

export interface ShopStage extends TestConsole {
  /** A shop's action: one signed report of one order. */
  report(orderId: string, status: string, differing?: Reporting): Promise<Told>;
  letters(saleId: string): Promise<OrderLetter[]>;
}

/** A console that takes the reports of a shop. @param ledger what the reports work on */
export async function openShopStage(
  options: Partial<ConsoleOptions> = {},
  ledger: (real: Ledger) => Ledger = (real) => real,
): Promise<ShopStage> {
  const stage = await openTestConsole();
  const shop = {
    secret: SECRET,
    takeReport: takeReports({
      redis: stage.redis,
      signer: stage.signer,
      ledger: ledger(stage.ledger),
      deadLetter: (letter) => addOrderLetters(stage.queues.ordersDead, [letter], stage.signer),
    }),
  };
  const server = await stage.another({ shop, ...options });
  return {
    ...stage,
    url: server.url,
    async report(
      orderId,
      status,
      { secret = SECRET, at = Date.now(), address = orderId, body = JSON.stringify({ orderId, status }), headers } = {},
    ) {
      const answer = await fetch(`${server.url}/api/shop/orders/${address}`, {
        method: 'POST',
        body,
        headers: headers ?? {
          'content-type': 'application/json',
          'rain-timestamp': String(at),
          'rain-signature': signatureOf(secret, String(at), body),
        },
      });
      return {
        status: answer.status,
        body: (await answer.json()) as Record<string, unknown>,
        retryAfter: answer.headers.get('retry-after'),
      };
    },
    letters: async (saleId) => (await readOrderLetters(stage.queues.ordersDead, { saleId, limit: 2_000 })).letters,
    async stop() {
      await server.close();
      await stage.stop();
    },
  };
}
