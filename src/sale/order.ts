import { parseMoney } from '../rain/money.ts';

/**
 * The life of an order. Each step is decided by one row of the database; Redis follows.
 *
 *     reserved ──▶ created ──pay──▶ paid ──refund──▶ refunded
 *                    ├──cancel──▶ cancelled
 *                    ├──payBy───▶ timed_out
 *                    └──fail────▶ failed          (a reserved one may fail too)
 *
 * `reserved` is known to Redis only: its order is not written yet.
 */
export const ORDER_STATUSES = ['reserved', 'created', 'paid', 'cancelled', 'timed_out', 'failed', 'refunded'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** From which statuses each other one is reached. */
export const ORDER_STEPS = {
  paid: ['created'],
  cancelled: ['created'],
  timed_out: ['created'],
  failed: ['created'],
  refunded: ['paid'],
} as const satisfies Partial<Record<OrderStatus, readonly OrderStatus[]>>;
export type OrderStep = keyof typeof ORDER_STEPS;

/** How far an order has come. */
const RANKS: Readonly<Record<OrderStatus, number>> = {
  reserved: 0,
  created: 1,
  paid: 2,
  cancelled: 2,
  timed_out: 2,
  failed: 2,
  refunded: 3,
};

/** Whether a message of the one status has overtaken a message of the other: no step leads back. */
export function isLater(status: OrderStatus, than: OrderStatus): boolean {
  return RANKS[status] > RANKS[than];
}

/**
 * Whether the units of an order are the buyer's, or kept for him. The units of all others are in stock again, or back
 * at the shop.
 */
export function holdsUnits(status: OrderStatus): boolean {
  return status === 'reserved' || status === 'created' || status === 'paid';
}

/**
 * Nobody has to pay for a free ticket, and no shop calls back: it is paid as soon as the order service has its order.
 */
export function isFree({ price }: { price: string }): boolean {
  return parseMoney(price) === 0n;
}

/** How `lua/reserve.lua` and `lua/follow.lua` write a status. */
export const STATUS_LETTERS: Readonly<Record<OrderStatus, string>> = {
  reserved: 'r',
  created: 'o',
  paid: 'p',
  cancelled: 'c',
  timed_out: 't',
  failed: 'f',
  refunded: 'u',
};
