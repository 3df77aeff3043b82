import type { Ledger } from '../../ledger/ledger.ts';
import type { OrderService } from '../../orders/orderService.ts';
import { orderServices } from '../../orders/orderServices.ts';
import { webhookOrders } from '../../orders/webhookOrders.ts';
import type { Config } from '../../platform/config.ts';
import type { Logger } from '../../platform/telemetry/log.ts';

export type OpenOrderService = (ledger: Pick<Ledger, 'sale'>, log: Logger) => OrderService;

function opening(shop: OrderService | undefined): OpenOrderService {
  return (ledger, log) =>
    orderServices({
      ledger,
      shop,
      onElsewhere: (saleId) =>
        log.error(
          { saleId },
          'the shop keeps the orders of this sale, and this worker has ORDER_SERVICE=builtin; it posts none of them',
        ),
    });
}

export const OUR_ORDERS: OpenOrderService = opening(undefined);

/** The service that ORDER_SERVICE names. @throws when the webhook has no address or secret, which loadConfig refuses before */
export function orderServiceOf(config: Config): OpenOrderService {
  const {
    ORDER_SERVICE: setting,
    ORDER_WEBHOOK_URL: url,
    ORDER_WEBHOOK_SECRET: secret,
    ORDER_WEBHOOK_BATCH_MAX: batchMax,
    ORDER_WEBHOOK_TIMEOUT_MS: timeoutMs,
    ORDER_WEBHOOK_ORDERS_PER_SECOND: ordersPerSecond,
    ORDER_WEBHOOK_REQUESTS_MAX: requestsMax,
  } = config;
  switch (setting) {
    case 'builtin':
      return OUR_ORDERS;
    case 'webhook':
      if (url === undefined || secret === undefined) throw new TypeError('a webhook without an address or a secret');
      return opening(webhookOrders({ url, secret, batchMax, timeoutMs, ordersPerSecond, requestsMax }));
    default:
      return setting satisfies never;
  }
}
