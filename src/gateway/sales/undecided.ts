import type { Limits } from '../limits.ts';
import { leftOf, type SaleReading } from './saleCache.ts';

type Purchased = { readonly saleId: string; readonly sku: string };

/**
 * Purchases of each item that wait for Redis. No more are let through than could reasonably be served: the others are
 * answered "busy", and most of them hear "all reserved" when they come back.
 */
export class Undecided {
  readonly #limits: Pick<Limits, 'purchasesPerUnitMax' | 'purchasesPerItemMin'>;
  readonly #counts = new Map<string, number>();

  constructor(limits: Pick<Limits, 'purchasesPerUnitMax' | 'purchasesPerItemMin'>) {
    this.#limits = limits;
  }

  /** Counts one purchase, until `decided`. @returns false: it is one too many, and is not counted */
  admit({ saleId, sku }: Purchased, sale: SaleReading): boolean {
    const { purchasesPerUnitMax, purchasesPerItemMin } = this.#limits;
    const item = sale.bySku.get(sku);
    const name = `${saleId}/${sku}`;
    const count = this.#counts.get(name) ?? 0;
    if (count >= Math.max(purchasesPerItemMin, item ? purchasesPerUnitMax * leftOf(item) : 0)) return false;
    this.#counts.set(name, count + 1);
    return true;
  }

  decided({ saleId, sku }: Purchased): void {
    const name = `${saleId}/${sku}`;
    const count = this.#counts.get(name) ?? 0;
    if (count > 1) this.#counts.set(name, count - 1);
    else this.#counts.delete(name);
  }
}
