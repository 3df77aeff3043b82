import type { Order } from '../../client/orders.ts';

/** Maximum number of descriptions; `faults` counts all. */
const EXAMPLES_MAX = 10;

export interface ToldOrder extends Order {
  userId: string;
}

/** The orders that buyers were told: one buyer per reservation, and always the same item, quantity and price. */
export class ToldOrders {
  readonly #orders = new Map<string, ToldOrder>();
  faults = 0;
  readonly examples: string[] = [];

  get all(): ToldOrder[] {
    return [...this.#orders.values()];
  }

  add(userId: string, order: Order): void {
    const { reservationId, sku, quantity, price } = order;
    const before = this.#orders.get(reservationId);
    if (before && before.userId !== userId)
      return this.fault(`${reservationId} was told to ${before.userId} and to ${userId}`);
    if (before && (before.sku !== sku || before.quantity !== quantity || before.price !== price)) {
      this.fault(`${userId} was told ${reservationId} as ${describe(before)} and then as ${describe(order)}`);
    }
    if (!(Number.isInteger(quantity) && quantity >= 1))
      this.fault(`${userId} was told ${reservationId} with a quantity of ${quantity}`);
    this.#orders.set(reservationId, { userId, ...order });
  }

  fault(what: string): void {
    this.faults++;
    if (this.examples.length < EXAMPLES_MAX) this.examples.push(what);
  }
}

const describe = ({ sku, quantity, price }: Order): string => `${quantity} × ${sku} at ${price}`;
