import type { Ledger } from '../ledger/ledger.ts';
import { builtinOrders, type OrderService } from './orderService.ts';

/** Sales whose order service is cached [R10]. */
const KNOWN_MAX = 1_000;

interface OrderServicesOptions {
  ledger: Pick<Ledger, 'sale'>;
  /** Absent: this process has no access to the shop. */
  shop?: OrderService | undefined;
  /** The shop keeps the orders of this sale, and this process cannot post them. Called once per sale and process. */
  onElsewhere(saleId: string): void;
}

/**
 * Posts the orders of each sale to the service that it was created with, which never changes. Orders of a rehearsal are
 * posted to no shop. A process without access to the shop leaves them to others.
 */
export function orderServices({ ledger, shop, onElsewhere }: OrderServicesOptions): OrderService {
  const known = new Map<string, OrderService>();

  async function find(saleId: string): Promise<OrderService> {
    const sale = await ledger.sale(saleId);
    // Not remembered: the ledger may have it again.
    if (!sale) return postingLater(`the ledger has no sale ${saleId}`);
    const isOurs = sale.rehearsal === true || sale.orderService === 'builtin';
    const service = isOurs
      ? builtinOrders
      : (shop ?? postingLater('the shop keeps the orders of this sale, and this process has ORDER_SERVICE=builtin'));
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(saleId, service);
    if (!isOurs && !shop) onElsewhere(saleId);
    return service;
  }

  return {
    post: async (saleId, orders) => (known.get(saleId) ?? (await find(saleId))).post(saleId, orders),
    ...(shop?.tell && { tell: (saleId, ended) => shop.tell!(saleId, ended) }),
  };
}

function postingLater(detail: string): OrderService {
  return { post: async (_saleId, orders) => orders.map(() => ({ outcome: 'reconsumeLater', detail })) };
}
