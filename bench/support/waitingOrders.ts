import type { Database } from '../../src/ledger/database.ts';
import { parseReservation } from '../../src/sale/reservation.ts';
import { parseMoney } from '../../src/rain/money.ts';
import { saleKeys } from '../../src/store/saleKeys.ts';
import { follow } from '../../src/store/sales.ts';
import type { OperatorContext } from '../../src/operator/context.ts';
import { SKU } from '../load/constants.ts';
import { PRICE, reserveAll, stockSale } from './sales.ts';

/** Orders per statement, and statuses per call of Redis. */
const ORDERS_MAX = 5_000;

/**
 * A sale whose reservations have their orders, and none is paid: as relay and order worker leave them, but without
 * those, which would take minutes. No worker may run yet.
 * @returns when the first of them is due, epoch ms
 */
export async function stockUnpaidSale(
  context: OperatorContext & { database: Database },
  saleId: string,
  orders: number,
  holdMs: number,
): Promise<number> {
  const { redis, database } = context;
  await stockSale(context, saleId, orders, holdMs);
  await reserveAll(context, saleId, orders);
  for (let from = 1; from <= orders; from += ORDERS_MAX) {
    const to = Math.min(orders, from + ORDERS_MAX - 1);
    // From the tail, where the first one is.
    const entries = await redis.lrange(saleKeys(saleId).reservations, -to, -from);
    const numbered = entries.reverse().map((entry, i) => {
      const parsed = parseReservation(entry);
      if (!parsed.ok) throw new Error(`${saleId}-${from + i}: ${parsed.reason}`);
      return { ordinal: from + i, at: new Date(Number(parsed.reservation.at)).toISOString() };
    });
    await database.$executeRaw`
      INSERT INTO "SaleOrder" ("id", "saleId", "userId", "sku", "quantity", "priceCents", "reservedAt", "payBy")
      SELECT ${saleId} || '-' || n, ${saleId}, 'user-' || n - 1, ${SKU}, 1, ${parseMoney(PRICE)!}, at, at + ${holdMs} * interval '1 millisecond'
      FROM unnest(${numbered.map(({ ordinal }) => ordinal)}::int[], ${numbered.map(({ at }) => at)}::timestamptz[]) AS reserved (n, at)`;
    await follow(
      redis,
      saleId,
      numbered.map(({ ordinal }) => ({ userId: `user-${ordinal - 1}`, ordinal, status: 'created', toStock: false })),
    );
  }
  await redis.set(saleKeys(saleId).relayed, orders);
  await database.$executeRaw`ANALYZE "SaleOrder", "StockTransfer"`;
  const {
    _min: { payBy },
  } = await database.saleOrder.aggregate({ where: { saleId }, _min: { payBy: true } });
  return payBy!.getTime();
}
