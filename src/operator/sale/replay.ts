import { iso } from '../../rain/figures.ts';
import type { OrderStatus } from '../../sale/order.ts';
import { saleKeys } from '../../store/saleKeys.ts';
import { reservationPages } from '../../store/reservationLog.ts';
import { hasSaleKey } from '../../store/saleSigner.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { ordersOf } from './audit/log.ts';
import type { Logged } from './audit/saleLog.ts';
import { noSaleReason } from './lost.ts';

/** Entries per read. */
const PAGE = 1_000;

/** One reservation as the log has it, with the status of its order; `reserved`: it has none. */
export interface ReplayedReservation {
  at: string;
  reservationId: string;
  userId: string;
  sku: string;
  quantity: number;
  price: string;
  ref: string;
  payBy: string;
  status: OrderStatus;
}

/** `fault`: the entry is no reservation of this sale, or its order says something else. */
export type ReplayedEntry = { ok: true; row: ReplayedReservation; fault?: string } | { ok: false; fault: string };

type SaleReplay = { ok: true; entries: AsyncGenerator<ReplayedEntry, void> } | Refused;

/**
 * Reads who reserved what and when from the reservation log ALONE, in its order, and what became of it. Later ones are
 * not included.
 */
export async function openSaleReplay(context: OperatorContext, saleId: string): Promise<SaleReplay> {
  if (!(await context.ledger.sale(saleId))) return refuse('id', await noSaleReason(context, saleId));
  const { state, reservations } = saleKeys(saleId);
  const length = await context.redis.llen(reservations);
  if (length === 0 && (await context.redis.exists(state)) === 0)
    return refuse(
      'id',
      `Redis has no reservation log of the sale ${saleId}: it was never written there, is lost, or has expired after the settlement`,
    );
  return { ok: true, entries: read(context, saleId, length) };
}

async function* read(context: OperatorContext, saleId: string, length: number): AsyncGenerator<ReplayedEntry, void> {
  const canTell = await hasSaleKey(context.redis, context.signer, saleId);
  for await (const page of reservationPages(context.redis, saleId, length, PAGE)) {
    const orders = await ordersOf(
      context,
      page.filter((one): one is Logged => one.ok),
    );
    for (const one of page) {
      if (!one.ok) {
        yield { ok: false, fault: `entry ${one.index} is not a reservation of this sale: ${one.reason}` };
        continue;
      }
      const { reservationId, userId, sku, quantity, price, ref = '', at, payBy, mac } = one.reservation;
      const order = orders.get(reservationId);
      const differs =
        order && (order.userId !== userId || order.sku !== sku || order.quantity !== quantity || order.price !== price);
      const isForged = canTell && !context.signer.isReservation(mac, one.reservation);
      yield {
        ok: true,
        row: {
          at: iso(Number(at)),
          reservationId,
          userId,
          sku,
          quantity,
          price,
          ref,
          payBy: iso(Number(payBy)),
          status: order?.status ?? 'reserved',
        },
        ...(isForged && { fault: `${reservationId} is not signed with SIGNING_SECRET: no gateway has made it` }),
        ...(differs && {
          fault: `${reservationId} is ${quantity} ${sku} at ${price} for ${userId} in the log; its order is ${order.quantity} ${order.sku} at ${order.price} for ${order.userId}`,
        }),
      };
    }
  }
}
