import type { OrderMessage } from '../protocol/saleMessages.ts';
import { isLater, type OrderStatus } from '../sale/order.ts';

/**
 * An order of the user. `price`: of one unit, a decimal string. `payBy`: until when it can be paid, epoch ms by the
 * server's clock.
 */
export interface Order {
  reservationId: string;
  sku: string;
  quantity: number;
  price: string;
  status: OrderStatus;
  payBy: number;
  /** While it is `reserved`: how many reservations are written before it. */
  place?: number;
  /** Where to pay, if the shop has such a page. */
  payUrl?: string;
}

/** Whether nothing but a refund follows. */
export function isDecided({ status }: Pick<Order, 'status'>): boolean {
  return !isLater('paid', status);
}

/** The user's orders in one sale, by what the server has told of them. */
export class Orders {
  readonly #orders = new Map<string, Order>();
  readonly #onNews: (order: Order) => void;

  /** @param onNews an order is new, or has changed; never for a repeat */
  constructor(onNews: (order: Order) => void) {
    this.#onNews = onNews;
  }

  /** @returns the order as it is known now; `undefined`: the message is about none */
  receive(message: OrderMessage): Order | undefined {
    const { reservationId, status } = message;
    if (reservationId === undefined || status === undefined) return undefined;
    const before = this.#orders.get(reservationId);
    if (before && isLater(before.status, status)) return before;
    const order = merged(before, message);
    if (!order) return undefined;
    this.#orders.set(reservationId, order);
    if (before?.status !== order.status || before.place !== order.place) this.#onNews(order);
    return order;
  }

  /** In the order in which the client learnt of them. */
  all(): Order[] {
    return [...this.#orders.values()];
  }

  forget(): void {
    this.#orders.clear();
  }
}

/** Fields that never change may be absent in a later message. */
function merged(
  before: Order | undefined,
  {
    reservationId,
    status,
    sku = before?.sku,
    quantity = before?.quantity,
    price = before?.price,
    payBy = before?.payBy,
    place,
    payUrl = before?.payUrl,
  }: OrderMessage,
): Order | undefined {
  if (
    reservationId === undefined ||
    status === undefined ||
    sku === undefined ||
    quantity === undefined ||
    price === undefined ||
    payBy === undefined
  )
    return undefined;
  return {
    reservationId,
    sku,
    quantity,
    price,
    status,
    payBy,
    ...(status === 'reserved' && place !== undefined && { place }),
    ...(payUrl !== undefined && { payUrl }),
  };
}
