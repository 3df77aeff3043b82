import type { OperatorContext } from '../operator/context.ts';
import { restoreOrders } from '../operator/sale/restoreOrders.ts';
import { startLoop, type Loop } from '../platform/concurrency/loop.ts';
import type { SinceReconnect } from '../platform/redis/reconnectTimer.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import { liveSales } from '../store/sales.ts';

interface SaleRestorerOptions {
  context: Pick<OperatorContext, 'redis' | 'ledger' | 'signer'>;
  log: Logger;
  sinceReconnect: SinceReconnect;
  everyMs?: number;
}

/**
 * After Redis was away, another server may answer that lacks the latest writes. The ledger's orders of the live sales
 * are brought back there at once, before the units of lost reservations are sold again; the gateways do the same with
 * the orders they have told.
 */
export function startSaleRestorer({ context, log, sinceReconnect, everyMs = 100 }: SaleRestorerOptions): Loop {
  const failing = new Set<string>();
  /** Until when everything was compared, `performance.now()`. */
  let comparedAt = performance.now();

  async function compareAll(): Promise<void> {
    const startedAt = performance.now();
    for (const saleId of (await liveSales(context.redis)).keys()) {
      const restored = await restoreOrders(context, saleId);
      if (!restored || restored.putBack + restored.behind + restored.taken.length === 0) continue;
      log.warn(
        { saleId, putBack: restored.putBack, behind: restored.behind, taken: restored.taken },
        'Redis had lost reservations or changes of orders; they were brought back from the ledger, except those whose numbers or units others have',
      );
    }
    comparedAt = startedAt;
  }

  return startLoop(async () => {
    const since = sinceReconnect();
    if (since > 0 && performance.now() - since > comparedAt)
      await reportingFault(failing, '', compareAll, {
        began: (error) =>
          log.warn(
            { error: String(error) },
            'sales cannot be compared with the ledger after Redis was away, will try again',
          ),
        over: () => log.info('sales are compared with the ledger again'),
      });
    return everyMs;
  });
}
