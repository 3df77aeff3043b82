import type { Database } from './database.ts';

/**
 * Pays those of these orders that wait for a payment of nothing, in one order of locks. Safe to repeat. The status as
 * text: the planner cannot take the index of waiting orders, which it believes empty after a wave, and read all of it.
 *
 * @returns ids of those that are paid, now or earlier
 */
export async function payFreeOrders(database: Database, orderIds: readonly string[]): Promise<Set<string>> {
  if (orderIds.length === 0) return new Set();
  await database.$executeRaw`
    UPDATE "SaleOrder" SET "status" = 'paid', "changedAt" = now()
    WHERE "status"::text = 'created' AND "id" IN (SELECT "id" FROM "SaleOrder" WHERE "id" = ANY (${[...orderIds]}::text[]) AND "priceCents" = 0 AND "status"::text = 'created' ORDER BY "id" FOR UPDATE)`;
  const paid = await database.$queryRaw<
    { id: string }[]
  >`SELECT "id" FROM "SaleOrder" WHERE "id" = ANY (${[...orderIds]}::text[]) AND "status" = 'paid'`;
  return new Set(paid.map(({ id }) => id));
}
