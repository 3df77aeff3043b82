import type { Item } from '../../src/sale/item.ts';
import { holdsUnits, ORDER_STEPS, type OrderStatus, type OrderStep } from '../../src/sale/order.ts';

interface ModelReservation {
  ordinal: number;
  userId: string;
  sku: string;
  quantity: number;
  ref: string;
  status: OrderStatus;
}

/** Characters of a buyer's reservations in Redis. */
const ENTRY_MAX = 1_400;

/** The model of a sale, in memory: no Redis, no clock. */
export class ModelSale {
  readonly reservations: ModelReservation[] = [];
  readonly units = new Map<string, number>();
  readonly returned = new Map<string, number>();
  readonly #items: ReadonlyMap<string, Item>;
  readonly #perUserMax: number;
  constructor(items: readonly Item[], perUserMax: number) {
    this.#items = new Map(items.map((item) => [item.sku, item]));
    this.#perUserMax = perUserMax;
    for (const { sku, units } of items) this.units.set(sku, units);
  }

  booked(sku: string): number {
    return this.#sum((one) => one.sku === sku && holdsUnits(one.status));
  }

  sold(sku: string): number {
    return this.#sum((one) => one.sku === sku && one.status === 'paid');
  }

  /** `code` or `code ordinal`. */
  reserve(userId: string, sku: string, quantity: string, ref: string): string {
    const mine = this.reservations.filter((one) => one.userId === userId);
    const first = mine.find((one) => one.ref === ref && (ref !== '' || holdsUnits(one.status)));
    if (first) return `1 ${first.ordinal} ${first.status}`;
    const item = this.#items.get(sku);
    const count = /^[1-9]\d{0,3}$/.test(quantity) ? Number(quantity) : 0;
    if (!item || count === 0 || count > item.perOrderMax!) return '-14';
    const held = (of?: string) =>
      mine
        .filter((one) => holdsUnits(one.status) && (of === undefined || one.sku === of))
        .reduce((sum, one) => sum + one.quantity, 0);
    if (
      held(sku) + count > item.perUserMax! ||
      held() + count > this.#perUserMax ||
      mine.reduce(
        (sum, one) =>
          sum + `${one.ordinal}:${one.sku}:${one.quantity}:r:1795000000000:sixteen-letters-:${one.ref};`.length,
        0,
      ) > ENTRY_MAX
    )
      return '-13';
    const left = this.units.get(sku)! - (this.returned.get(sku) ?? 0) - this.booked(sku);
    if (left < count) return left > 0 ? '-15' : this.booked(sku) > this.sold(sku) ? '-12' : '-1';
    this.reservations.push({
      ordinal: this.reservations.length + 1,
      userId,
      sku,
      quantity: count,
      ref,
      status: 'reserved',
    });
    return `0 ${this.reservations.length} reserved`;
  }

  /** The ledger's decision; `undefined`: it does not allow the step. */
  step({ ordinal, status }: ModelReservation, to: OrderStep | 'created', toStock: boolean): boolean {
    if (to === 'created' ? status !== 'reserved' : !(ORDER_STEPS[to] as readonly OrderStatus[]).includes(status))
      return false;
    const one = this.reservations[ordinal - 1]!;
    one.status = to;
    if (!holdsUnits(to) && !toStock) this.returned.set(one.sku, (this.returned.get(one.sku) ?? 0) + one.quantity);
    return true;
  }

  #sum(which: (one: ModelReservation) => boolean): number {
    return this.reservations.filter(which).reduce((sum, one) => sum + one.quantity, 0);
  }
}
