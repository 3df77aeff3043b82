import type { Units } from '../sale/units.ts';
import type { Database } from './database.ts';
import type { StockPlace } from './generated/client.ts';

/** Units of one item by place, in accounts and as its transfers sum up, and by the statuses of its orders. */
export interface BookedStock {
  sku: string;
  /** Planned, top-ups included. */
  units: Units;
  accounts: Record<StockPlace, Units>;
  transfers: Record<StockPlace, Units>;
  /** In orders that wait for their payment, and in paid ones. */
  created: Units;
  paid: Units;
  orders: number;
  buyers: number;
}

const NOWHERE: Record<StockPlace, Units> = { shop: 0, available: 0, reserved: 0, sold: 0 };

/** The ledger's part of a sale's equation, for each item in the order of the sale, in one moment. */
export async function stock(database: Database, saleId: string): Promise<BookedStock[]> {
  const [items, accounts, transfers, orders] = await database.$transaction(
    [
      database.saleItem.findMany({
        where: { saleId },
        select: { sku: true, units: true },
        orderBy: { ordinal: 'asc' },
      }),
      database.stockAccount.findMany({ where: { saleId } }),
      database.$queryRaw<{ sku: string; place: StockPlace; units: bigint }[]>`
      SELECT "sku", "place", sum("units")::bigint AS "units" FROM (
        SELECT "sku", "to" AS "place", "units" FROM "StockTransfer" WHERE "saleId" = ${saleId}
        UNION ALL SELECT "sku", "from", -"units" FROM "StockTransfer" WHERE "saleId" = ${saleId}) AS sides GROUP BY 1, 2`,
      database.$queryRaw<{ sku: string; created: bigint; paid: bigint; orders: bigint; buyers: bigint }[]>`
      SELECT "sku", coalesce(sum("quantity") FILTER (WHERE "status" = 'created'), 0)::bigint AS "created", coalesce(sum("quantity") FILTER (WHERE "status" = 'paid'), 0)::bigint AS "paid",
        count(*) AS "orders", count(DISTINCT "userId") AS "buyers" FROM "SaleOrder" WHERE "saleId" = ${saleId} GROUP BY 1`,
    ],
    { isolationLevel: 'RepeatableRead' },
  );
  return items.map(({ sku, units }) => {
    const of = <Row extends { sku: string; place: StockPlace; units: bigint }>(rows: readonly Row[]) => ({
      ...NOWHERE,
      ...Object.fromEntries(rows.filter((row) => row.sku === sku).map((row) => [row.place, Number(row.units)])),
    });
    const sums = orders.find((row) => row.sku === sku);
    return {
      sku,
      units,
      accounts: of(accounts),
      transfers: of(transfers),
      created: Number(sums?.created ?? 0),
      paid: Number(sums?.paid ?? 0),
      orders: Number(sums?.orders ?? 0),
      buyers: Number(sums?.buyers ?? 0),
    };
  });
}

/** The numbers of orders of these sales; of settled ones the database has kept them. */
export async function countOrders(database: Database, saleIds: readonly string[]): Promise<Map<string, number>> {
  if (saleIds.length === 0) return new Map();
  const rows = await database.$queryRaw<{ id: string; orders: bigint }[]>`
    SELECT "id", coalesce("orders", (SELECT count(*) FROM "SaleOrder" WHERE "saleId" = sale."id")) AS "orders"
    FROM "Sale" AS sale WHERE "id" = ANY (${[...saleIds]}::text[])`;
  return new Map(rows.map(({ id, orders }) => [id, Number(orders)]));
}

/** Units of one item by place, as its accounts have them. */
export interface PlacedUnits {
  saleId: string;
  sku: string;
  places: Record<StockPlace, Units>;
}

/** The accounts of these sales: a few rows, however many orders there are. */
export async function places(database: Database, saleIds: readonly string[]): Promise<PlacedUnits[]> {
  const found = new Map<string, PlacedUnits>();
  for (const { saleId, sku, place, units } of await database.stockAccount.findMany({
    where: { saleId: { in: [...saleIds] } },
  })) {
    const name = `${saleId}/${sku}`;
    const item = found.get(name) ?? { saleId, sku, places: { ...NOWHERE } };
    item.places[place] = Number(units);
    found.set(name, item);
  }
  return [...found.values()];
}
