import { startLoop } from '../platform/concurrency/loop.ts';
import { reportingFault, type Logger } from '../platform/telemetry/log.ts';
import type { Ledger } from '../ledger/ledger.ts';

interface ExpirerOptions {
  ledger: Pick<Ledger, 'expireOrders'>;
  log: Logger;
  /** Sales whose orders wait, as the ledger may be an older state; undefined: not known yet, so all wait. */
  heldSales?: (() => Iterable<string> | undefined) | undefined;
  /** How often it looks for orders that are due. */
  everyMs?: number;
  ordersMax?: number;
}

/** Orders per statement: payments of the same items, and buyers, wait for as long as it takes [R10]. */
const ORDERS_MAX = 2_000;
/**
 * In a wave it rests after each statement for this share of the time that it took: a database with few processors is
 * for those who buy and pay.
 */
const REST_SHARE = 1.3;

/**
 * Ends orders that were not paid in time. Any number of expirers share the work, each order is ended by one of them.
 */
export function startExpirer({
  ledger,
  log,
  heldSales = () => [],
  everyMs = 250,
  ordersMax = ORDERS_MAX,
}: ExpirerOptions) {
  const counters = { expired: 0 };
  const failing = new Set<string>();
  const rounds = startLoop(async () => {
    const except = heldSales();
    if (!except) return everyMs;
    const began = performance.now();
    const ended =
      (await reportingFault(failing, '', () => ledger.expireOrders(ordersMax, [...except]), {
        began: (error) => log.warn({ error: String(error) }, 'orders that are due cannot be ended, will try again'),
        over: () => log.info('orders that are due are ended again'),
      })) ?? 0;
    counters.expired += ended;
    return ended === ordersMax ? Math.ceil(REST_SHARE * (performance.now() - began)) : everyMs;
  });
  return { counters, close: () => rounds.close() };
}
