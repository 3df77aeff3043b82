import type { Order, SaleSnapshot } from '../../../src/client/client.ts';
import type { PlayerConfig } from '../api.ts';
import { formatMoney, parseMoney } from '../../../src/rain/money.ts';

export interface OrderView {
  reservationId: string;
  name: string;
  quantity: number;
  /** "39.80" */
  total: string;
  status: Order['status'];
  /** Before a decision: whole seconds until it must be paid. */
  seconds?: number;
  place?: number;
  /**
   * How it can be paid now: on a page of the shop, here in the demo, or elsewhere; absent where nothing is to be paid.
   */
  pay?: { url: string } | 'demo' | 'elsewhere';
  paying?: Paying;
  cancelling?: Cancelling;
}

/** `failed`: may be asked for again. */
export type Paying = 'sent' | 'failed';
export type Cancelling = 'sent' | 'failed';
export type PayConfig = PlayerConfig['pay'];

interface OrderNotes {
  paying: Paying | undefined;
  cancelling: Cancelling | undefined;
}

/** @param now epoch ms by the server's clock */
export function orderView(
  order: Order,
  sale: SaleSnapshot | undefined,
  pay: PayConfig,
  { paying, cancelling }: OrderNotes,
  now: number,
): OrderView {
  const { reservationId, sku, quantity, price, status, payBy, place } = order;
  const name = sale?.items.find((item) => item.sku === sku)?.name ?? sku;
  const total = totalOf(price, quantity);
  const common = { reservationId, name, quantity, total, status };
  if (!isWaiting(order)) return common;
  const seconds = Math.max(0, Math.ceil((payBy - now) / 1000));
  return {
    ...common,
    seconds,
    ...(place !== undefined && { place }),
    ...(cancelling && { cancelling }),
    ...(status === 'created' &&
      seconds > 0 &&
      !isFree(total) && { pay: payingOf(order, pay), ...(paying && { paying }) }),
  };
}

/** Nothing is decided yet: it can be paid or cancelled. */
export function isWaiting({ status }: Pick<Order, 'status'>): boolean {
  return status === 'reserved' || status === 'created';
}

/** Orders that wait for the buyer first, by their deadlines; then the latest. */
export function inOrder(orders: readonly Order[]): Order[] {
  const waiting = orders.filter(isWaiting).sort((a, b) => a.payBy - b.payBy);
  return [...waiting, ...orders.filter((order) => !isWaiting(order)).reverse()];
}

/** A price is a decimal string: it is multiplied in cents. */
export function totalOf(price: string, quantity: number): string {
  const cents = parseMoney(price);
  return cents === undefined ? price : formatMoney(cents * BigInt(quantity));
}

export function isFree(amount: string): boolean {
  return !/[1-9]/.test(amount);
}

function payingOf({ reservationId, payUrl }: Order, pay: PayConfig): NonNullable<OrderView['pay']> {
  if (payUrl === undefined && pay && 'demo' in pay) return 'demo';
  const url =
    payUrl ?? (pay && 'url' in pay ? pay.url.split('{orderId}').join(encodeURIComponent(reservationId)) : undefined);
  return url !== undefined && /^https?:\/\//i.test(url) ? { url } : 'elsewhere';
}
