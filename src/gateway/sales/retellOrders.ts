import type { HandlerContext } from '../handlers/context.ts';
import { saleName } from './saleName.ts';
import { tellOwnOrders } from './visit.ts';

/** Buyers whose orders are read at once [R10]. */
const SESSIONS_AT_ONCE = 100;

/**
 * Tells every visitor of a sale the present status of each order: what was told while this gateway was not subscribed
 * is lost. Never throws.
 */
export async function retellOrders(context: HandlerContext): Promise<void> {
  const {
    hub,
    sales: { cache },
  } = context;
  // A copy: the cache reads further sales meanwhile.
  for (const sale of Array.from(cache.readings())) {
    const visitors = [...hub.watching(saleName(sale.saleId))];
    for (let at = 0; at < visitors.length; at += SESSIONS_AT_ONCE)
      await Promise.all(
        visitors.slice(at, at + SESSIONS_AT_ONCE).map((session) => tellOwnOrders(context, session, sale)),
      );
  }
}
