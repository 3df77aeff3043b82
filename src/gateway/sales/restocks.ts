import type { RestockMessage } from '../../protocol/saleMessages.ts';
import { stateAt } from '../../rain/rain.ts';
import { RESTOCK_USERS_MAX } from './limits.ts';
import { leftOf, type SaleReading } from './saleCache.ts';

interface RestocksRules {
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  tell: (userIds: ReadonlySet<string>, message: RestockMessage) => void;
  usersMax?: number;
}

/**
 * Users who were told that no unit of an item is left, until some are back. Users, not sockets: who reconnects here is
 * told, too.
 */
export class Restocks {
  readonly #rules: Required<RestocksRules>;
  /** By sale, by SKU. */
  readonly #waiting = new Map<string, Map<string, Set<string>>>();
  #users = 0;

  constructor(rules: RestocksRules) {
    this.#rules = { usersMax: RESTOCK_USERS_MAX, ...rules };
  }

  /** To be called with each answer "all reserved" and "sold out". */
  add(saleId: string, sku: string, userId: string): void {
    if (this.#users >= this.#rules.usersMax) return;
    const items = this.#waiting.get(saleId) ?? new Map<string, Set<string>>();
    const users = items.get(sku) ?? new Set();
    if (users.has(userId)) return;
    this.#users++;
    this.#waiting.set(saleId, items.set(sku, users.add(userId)));
  }

  /** To be called with every reading of a sale: each user is told once. */
  look(sale: SaleReading): void {
    const { saleId } = sale;
    const items = this.#waiting.get(saleId);
    if (!items) return;
    const state = stateAt(sale, this.#rules.now());
    if (state === 'closed' || state === 'settled') return this.forget(saleId);
    if (state !== 'open') return;
    for (const [sku, users] of items) {
      const item = sale.bySku.get(sku);
      const left = item ? leftOf(item) : 0;
      if (!item || left === 0) continue;
      items.delete(sku);
      this.#users -= users.size;
      this.#rules.tell(users, { type: 'restock', saleId, sku, left });
    }
    if (items.size === 0) this.#waiting.delete(saleId);
  }

  /** To be called when a sale is over. */
  forget(saleId: string): void {
    for (const users of this.#waiting.get(saleId)?.values() ?? []) this.#users -= users.size;
    this.#waiting.delete(saleId);
  }
}
