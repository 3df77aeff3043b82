import type { BookedOrder } from '../../ledger/orders.ts';
import type { BookedSale } from '../../ledger/sales.ts';
import { stateAt } from '../../rain/rain.ts';
import { reservationOrdinal } from '../../sale/ids.ts';
import { redisNow } from '../../store/rains.ts';
import { findSale, hasTraces, heldByAll, readSale } from '../../store/sales.ts';
import { readExplained } from '../sale/audit/explained.ts';
import { isAhead, isBehind } from '../sale/audit/statuses.ts';
import { isWrittenOff, wasOpened } from '../sale/lost.ts';
import { readRedisOrders } from '../sale/redisOrders.ts';
import { findLostReservations } from '../sale/toldReservations.ts';
import type { OperatorContext } from '../context.ts';
import { collectDifferences, type Difference, type RainDifferences } from './difference.ts';

/** Orders per read. */
const PAGE = 1_000;

type Add = (difference: Difference) => void;

/** Differences that only one store knows of this sale. `undefined`: no store knows it. */
export async function compareSale(context: OperatorContext, saleId: string): Promise<RainDifferences | undefined> {
  const { redis, ledger } = context;
  const [sale, live] = [await ledger.sale(saleId), await findSale(redis, saleId)];
  if (!sale && !live && ((await ledger.rain(saleId)) || !(await hasTraces(redis, saleId)))) return undefined;
  const found = collectDifferences(saleId, sale?.title ?? live?.title ?? '', true);
  if (!sale) await onlyInRedis(context, saleId, found.add);
  else if (sale.settledAt === undefined && !(await isWrittenOff(context, saleId)))
    await compareBooked(context, sale, found.add);
  return found;
}

/** Its orders are listed by name: none of them can be written while the ledger does not know the sale. */
async function onlyInRedis(context: OperatorContext, saleId: string, add: Add): Promise<void> {
  const stored = await readSale(context.redis, saleId);
  const isGivenUp = stored?.state === 'settled' && (await isWrittenOff(context, saleId));
  const details = stored ? `${stateAt(stored, await redisNow(context.redis))}, ${stored.made} reservations` : 'lost';
  add(
    isGivenUp
      ? {
          kind: 'sale_written_off',
          sentence: 'Redis has the sale, the ledger does not know it, and it was given up',
        }
      : {
          kind: 'sale_not_in_book',
          sentence: `Redis has the sale (${details}), and the ledger does not know it: no order of it can be written or paid`,
        },
  );
  for await (const { orderId, userId, sku, quantity, status, signed } of readRedisOrders(context, saleId))
    add({
      kind: isGivenUp ? 'order_written_off' : 'order_not_in_book',
      orderId,
      userId,
      sentence: `${orderId} of ${userId}, ${quantity} ${sku}, is ${status} in Redis${signed === 'no' ? ', and no gateway has signed it' : ''}; the ledger does not know the sale`,
    });
}

async function compareBooked(context: OperatorContext, sale: BookedSale, add: Add): Promise<void> {
  const { redis, ledger } = context;
  const stored = await readSale(redis, sale.id);
  if (!stored) {
    if (await wasOpened(context, sale.id))
      add({ kind: 'sale_missing', sentence: 'the sale was opened, and Redis does not have it' });
  } else if (stored.state === 'draft' && (await wasOpened(context, sale.id)))
    add({
      kind: 'not_loaded',
      sentence: 'the sale was opened, and Redis has it from before that: nobody can buy in it',
    });
  else {
    for (let after: string | undefined; ;) {
      const orders = await ledger.orders({ saleId: sale.id, ...(after !== undefined && { after }) }, PAGE);
      await compareOrders(context, sale.id, orders, add);
      if (orders.length < PAGE) break;
      after = orders.at(-1)!.id;
    }
    if (stored.logged > (await ledger.orderCounts(sale.id)).orders) await noteUnwritten(context, sale.id, add);
  }
  for (const { reservationId: orderId, userId, sku, quantity } of await findLostReservations(context, sale.id))
    add({
      kind: 'reservation_told',
      orderId,
      userId,
      sentence: `${userId} was told the reservation ${orderId}, ${quantity} ${sku}, and neither store has it`,
    });
}

/** Orders of the ledger, compared with the status that Redis has of them, which is read later. */
async function compareOrders(
  { redis, ledger }: OperatorContext,
  saleId: string,
  orders: readonly BookedOrder[],
  add: Add,
): Promise<void> {
  const held = await heldByAll(
    redis,
    saleId,
    orders.map(({ userId }) => userId),
  );
  const pairs = orders.flatMap((order) => {
    const ordinal = reservationOrdinal(saleId, order.id);
    const known = held?.get(order.userId)?.find((one) => one.ordinal === ordinal)?.status;
    return known === order.status ? [] : [{ order, known }];
  });
  if (pairs.length === 0) return;
  const ids = pairs.map(({ order }) => order.id);
  // A worker brings these to Redis, and the ledger may have gone further since it was read.
  const unfollowed = await ledger.unfollowedAmong(ids);
  const now = new Map((await ledger.orders({ ids }, ids.length)).map((order) => [order.id, order]));
  for (const { order: read, known } of pairs) {
    const order = now.get(read.id) ?? read;
    const { id: orderId, userId, sku, quantity, status } = order;
    const what = `${orderId} of ${userId}, ${quantity} ${sku}, is ${status} in the ledger`;
    if (known === undefined)
      add({ kind: 'order_not_in_redis', orderId, userId, sentence: `${what}, and Redis does not have it` });
    else if (isAhead(known, status, true))
      add({ kind: 'order_ahead_in_redis', orderId, userId, sentence: `${what}, and ${known} in Redis` });
    else if (isBehind(known, status) && !unfollowed.has(orderId))
      add({ kind: 'order_behind_in_redis', orderId, userId, sentence: `${what}, and still ${known} in Redis` });
  }
}

/** Reservations of the log that the ledger has neither as an order nor as a refusal, and that nobody has explained. */
async function noteUnwritten(context: OperatorContext, saleId: string, add: Add): Promise<void> {
  const { ledger } = context;
  const flush = async (part: readonly Difference[]): Promise<void> => {
    const ids = part.map(({ orderId }) => orderId!);
    const written = new Set((await ledger.orders({ ids }, ids.length)).map(({ id }) => id));
    const named = part.map(({ orderId, userId }) => ({ reservationId: orderId!, userId: userId! }));
    const refused = new Set(
      (await ledger.refusalsAmong(named)).map(({ reservationId, userId }) => `${reservationId} ${userId}`),
    );
    for (const one of part) if (!written.has(one.orderId!) && !refused.has(`${one.orderId} ${one.userId}`)) add(one);
  };
  const { isDiscarded } = await readExplained(context, saleId);
  const part: Difference[] = [];
  for await (const { orderId, userId, sku, quantity, status, signed } of readRedisOrders(
    context,
    saleId,
    isDiscarded,
  )) {
    // Told ones are listed for themselves; those that nobody has signed or reserved are the audit's.
    if (status === 'told' || status === 'not_reserved' || signed === 'no') continue;
    part.push({
      // A worker writes the order; its later status is known to nobody else.
      kind: status === 'reserved' || status === 'created' ? 'order_not_in_book' : 'order_ahead_in_redis',
      orderId,
      userId,
      sentence: `${orderId} of ${userId}, ${quantity} ${sku}, is ${status} in Redis, and the ledger has no order of it`,
    });
    if (part.length === PAGE) await flush(part.splice(0));
  }
  await flush(part);
}
