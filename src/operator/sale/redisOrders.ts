import { iso } from '../../rain/figures.ts';
import { amountOf } from '../../sale/item.ts';
import type { OrderStatus } from '../../sale/order.ts';
import { reservationOrdinal } from '../../sale/ids.ts';
import type { Reservation } from '../../sale/reservation.ts';
import type { Units } from '../../sale/units.ts';
import { reservationPages } from '../../store/reservationLog.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { hasSaleKey } from '../../store/saleSigner.ts';
import { hasTraces, heldByAll } from '../../store/sales.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import type { IsDiscarded } from './audit/explained.ts';
import { noSaleReason } from './lost.ts';
import { findLostReservations } from './toldReservations.ts';

/**
 * One order as Redis has it. `told`: only gateways have written it down; `not_reserved`: it is in the log, and not with
 * its buyer. `signed`: whether a gateway has signed the purchase; `unknown`: this process has another key.
 */
export interface RedisOrder {
  orderId: string;
  userId: string;
  sku: string;
  quantity: Units;
  price: string;
  amount: string;
  status: OrderStatus | 'told' | 'not_reserved';
  reservedAt: string;
  payBy: string;
  ref?: string;
  signed: 'yes' | 'no' | 'unknown';
}

export const REDIS_ORDER_COLUMNS = [
  'orderId',
  'userId',
  'sku',
  'quantity',
  'price',
  'amount',
  'status',
  'reservedAt',
  'payBy',
  'ref',
  'signed',
] as const satisfies readonly (keyof RedisOrder)[];

/** Entries of the log per read: few enough not to delay purchases. */
const PAGE = 2_000;

/** The orders of a sale that the ledger may not know, by their numbers; those at the end were told and lost. */
export async function redisOrders(
  context: OperatorContext,
  saleId: string,
): Promise<{ ok: true; orders: AsyncGenerator<RedisOrder, void> } | Refused> {
  if (await hasTraces(context.redis, saleId)) return { ok: true, orders: readRedisOrders(context, saleId) };
  return refuse(
    'id',
    (await context.ledger.sale(saleId))
      ? `Redis has nothing of the sale ${saleId}`
      : await noSaleReason(context, saleId),
  );
}

/** @param isLeftOut entries of the log that are not listed, such as those whose letter was discarded */
export async function* readRedisOrders(
  context: OperatorContext,
  saleId: string,
  isLeftOut: IsDiscarded = () => false,
): AsyncGenerator<RedisOrder, void> {
  const { redis, signer } = context;
  const hasKey = await hasSaleKey(redis, signer, saleId);
  const signed = (one: Reservation) => (signer.isReservation(one.mac, one) ? 'yes' : hasKey ? 'no' : 'unknown');
  const length = await redis.llen(saleKeys(saleId).reservations);
  for await (const page of reservationPages(redis, saleId, length, PAGE)) {
    const read = page.flatMap((one) => (one.ok && !isLeftOut(one) ? [one] : []));
    const held = await heldByAll(
      redis,
      saleId,
      read.map(({ reservation }) => reservation.userId),
    );
    for (const { reservation, ordinal } of read) {
      const known = held?.get(reservation.userId)?.find((one) => one.ordinal === ordinal);
      yield view(reservation, held && !known ? 'not_reserved' : (known?.status ?? 'reserved'), signed(reservation));
    }
  }
  const lost = await findLostReservations(context, saleId);
  for (const one of lost.toSorted((a, b) => ordinalOf(a) - ordinalOf(b))) yield view(one, 'told', signed(one));
}

const ordinalOf = ({ saleId, reservationId }: Reservation): number => reservationOrdinal(saleId, reservationId) ?? 0;

function view(
  { reservationId, userId, sku, quantity, price, ref, at, payBy }: Reservation,
  status: RedisOrder['status'],
  signed: RedisOrder['signed'],
): RedisOrder {
  return {
    orderId: reservationId,
    userId,
    sku,
    quantity,
    price,
    amount: amountOf({ price, quantity }),
    status,
    reservedAt: iso(Number(at)),
    payBy: iso(Number(payBy)),
    ...(ref !== undefined && { ref }),
    signed,
  };
}
