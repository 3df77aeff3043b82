import type { Database } from './database.ts';
import { Prisma, type SaleOrder } from './generated/client.ts';
import { toBooked, type BookedOrder, type OrderQuery } from './orders.ts';

/**
 * The orders of one sale in the order of their numbers. By their length first: ids that are as long are in the order of
 * the index, so no page has to sort the whole sale.
 */
export async function numberedOrders(
  database: Database,
  { saleId, userId, status, ids, after }: OrderQuery & { saleId: string },
  limit = 1_000,
): Promise<BookedOrder[]> {
  const found = Prisma.join(
    [
      Prisma.sql`"saleId" = ${saleId}`,
      ...(userId === undefined ? [] : [Prisma.sql`"userId" = ${userId}`]),
      ...(status === undefined ? [] : [Prisma.sql`"status" = ${status}::"OrderStatus"`]),
      ...(ids === undefined ? [] : [Prisma.sql`"id" = ANY (${[...ids]}::text[])`]),
    ],
    ' AND ',
  );
  const rows: SaleOrder[] = [];
  for (let [length, last] = [after?.length ?? 0, after ?? '']; ; last = '') {
    rows.push(
      ...(await database.$queryRaw<
        SaleOrder[]
      >`SELECT * FROM "SaleOrder" WHERE ${found} AND length("id") = ${length} AND "id" > ${last} ORDER BY "id" LIMIT ${limit - rows.length}`),
    );
    if (rows.length === limit) break;
    const [longer] = await database.$queryRaw<
      { length: number | null }[]
    >`SELECT min(length("id")) AS "length" FROM "SaleOrder" WHERE ${found} AND length("id") > ${length}`;
    if (longer!.length === null) break;
    length = longer!.length;
  }
  return rows.map(toBooked);
}
