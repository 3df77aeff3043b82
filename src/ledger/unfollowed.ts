import { byIndex } from './byIndex.ts';
import type { Database, Transaction } from './database.ts';
import { Prisma } from './generated/client.ts';
import type { BookedOrder } from './orders.ts';

/** An order whose status Redis does not know yet; `toStock`: its units went back into the stock, not to the shop. */
export type UnfollowedOrder = Pick<BookedOrder, 'id' | 'userId' | 'status'> & { toStock: boolean };

/**
 * Orders of a sale whose last change Redis does not know, the oldest change first.
 * @param skip how many to leave out at the front
 */
export function unfollowedOrders(
  database: Database,
  saleId: string,
  limit: number,
  skip = 0,
): Promise<UnfollowedOrder[]> {
  const page = Prisma.sql`SELECT "orderId", "changedAt" FROM "UnfollowedOrder" WHERE "saleId" = ${saleId} ORDER BY "changedAt" LIMIT ${limit} OFFSET ${skip}`;
  return byIndex(database, (transaction) => ordersOf(transaction, page));
}

/** This one, if Redis does not know its last change. */
export async function unfollowedOrder(database: Database, orderId: string): Promise<UnfollowedOrder | undefined> {
  const mark = Prisma.sql`SELECT "orderId", "changedAt" FROM "UnfollowedOrder" WHERE "orderId" = ${orderId}`;
  return (await ordersOf(database, mark))[0];
}

/**
 * The orders of these marks, as lists: a row for each takes longer to read than to find. Lateral, so that their
 * transfers are looked up, and not all transfers read.
 */
async function ordersOf(database: Database | Transaction, marks: Prisma.Sql): Promise<UnfollowedOrder[]> {
  const [found] = await database.$queryRaw<
    { ids: string[] | null; userIds: string[]; statuses: UnfollowedOrder['status'][]; toStock: boolean[] }[]
  >`
    SELECT array_agg("id") AS "ids", array_agg("userId") AS "userIds", array_agg("status") AS "statuses", array_agg("toStock") AS "toStock" FROM (
      SELECT "SaleOrder"."id", "userId", "SaleOrder"."status"::text, back."toStock" IS NOT NULL AS "toStock" FROM (${marks}) AS mark JOIN "SaleOrder" ON "id" = mark."orderId"
      LEFT JOIN LATERAL (SELECT true AS "toStock" FROM "StockTransfer"
        WHERE "StockTransfer"."id" = CASE "SaleOrder"."status" WHEN 'refunded' THEN 'refund:' ELSE 'release:' END || mark."orderId" AND "to" = 'available') AS back ON true
      ORDER BY mark."changedAt") AS found`;
  const { ids, userIds, statuses, toStock } = found!;
  return ids?.map((id, i) => ({ id, userId: userIds[i]!, status: statuses[i]!, toStock: toStock[i]! })) ?? [];
}

/** Has Redis follow these orders once more: it has lost their last change. Safe to repeat. */
export async function unfollow(database: Database, orderIds: readonly string[]): Promise<void> {
  // Marks are written under the locks of their orders, taken in one order, so that nobody deadlocks.
  await database.$executeRaw`
    WITH held AS (SELECT "id", "saleId", "status", "changedAt" FROM "SaleOrder" WHERE "id" = ANY (${[...orderIds]}::text[]) ORDER BY "id" FOR UPDATE)
    INSERT INTO "UnfollowedOrder" ("orderId", "saleId", "status", "changedAt") SELECT "id", "saleId", "status", "changedAt" FROM held ON CONFLICT DO NOTHING`;
}

/** Which of these orders have a change that Redis does not know. */
export async function unfollowedAmong(database: Database, orderIds: readonly string[]): Promise<Set<string>> {
  if (orderIds.length === 0) return new Set();
  const rows = await database.$queryRaw<
    { id: string }[]
  >`SELECT "orderId" AS "id" FROM "UnfollowedOrder" WHERE "orderId" = ANY (${[...orderIds]}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

/** Sales per round at most [R10]. */
const SALES_MAX = 1_000;

/** Sales with such orders. It reads one entry of the index per sale, however many orders wait. */
export async function unfollowedSales(database: Database): Promise<string[]> {
  const rows = await database.$queryRaw<{ saleId: string }[]>`
    WITH RECURSIVE sale AS (
      (SELECT "saleId" FROM "UnfollowedOrder" ORDER BY "saleId" LIMIT 1)
      UNION ALL SELECT (SELECT next."saleId" FROM "UnfollowedOrder" AS next WHERE next."saleId" > sale."saleId" ORDER BY 1 LIMIT 1) FROM sale WHERE sale."saleId" IS NOT NULL)
    SELECT "saleId" FROM sale WHERE "saleId" IS NOT NULL LIMIT ${SALES_MAX}`;
  return rows.map(({ saleId }) => saleId);
}

/** How long the oldest such change has been waiting, seconds; 0: none waits. */
export async function oldestUnfollowedSeconds(database: Database): Promise<number> {
  const moments = await Promise.all(
    (await unfollowedSales(database)).map(
      (saleId) => database.$queryRaw<{ seconds: number }[]>`
    SELECT greatest(extract(epoch FROM now() - "changedAt"), 0)::float8 AS "seconds" FROM "UnfollowedOrder" WHERE "saleId" = ${saleId} ORDER BY "changedAt" LIMIT 1`,
    ),
  );
  return Math.max(0, ...moments.flat().map(({ seconds }) => seconds));
}

/**
 * Marks that Redis knows these statuses; an order that has changed since is not marked. One that somebody else is
 * changing is left for the next time, so that nobody waits here, and nobody deadlocks.
 */
export async function markFollowed(
  database: Database,
  orders: readonly Pick<BookedOrder, 'id' | 'status'>[],
): Promise<void> {
  if (orders.length === 0) return;
  // By the places of the rows, so that the planner cannot read all that wait, each time, when it thinks that there are
  // few.
  await database.$executeRaw`
    DELETE FROM "UnfollowedOrder" WHERE ctid = ANY (ARRAY(
      SELECT mark.ctid FROM unnest(${orders.map(({ id }) => id)}::text[], ${orders.map(({ status }) => status)}::"OrderStatus"[]) AS told ("orderId", "status")
      JOIN "UnfollowedOrder" AS mark USING ("orderId", "status") FOR UPDATE OF mark SKIP LOCKED))`;
}
