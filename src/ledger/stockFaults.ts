import type { OrderStatus as AnyStatus } from '../sale/order.ts';
import type { Units } from '../sale/units.ts';
import type { Database } from './database.ts';

/** Units of the orders of one item that are alike. */
export interface FollowedUnits {
  sku: string;
  status: Exclude<AnyStatus, 'reserved'>;
  /** Whether Redis knows this status. */
  followed: boolean;
  /** Whether the units went back to the shop. */
  toShop: boolean;
  units: Units;
}

/** How many units are in orders of which status, and how many of them Redis knows to be there; in one moment. */
export async function followedUnits(database: Database, saleId: string): Promise<FollowedUnits[]> {
  const rows = await database.$queryRaw<(Omit<FollowedUnits, 'units'> & { units: bigint })[]>`
    SELECT "SaleOrder"."sku", "SaleOrder"."status", mark."orderId" IS NULL AS "followed", back."id" IS NOT NULL AS "toShop", sum("quantity")::bigint AS "units"
    FROM "SaleOrder" LEFT JOIN "UnfollowedOrder" AS mark ON mark."orderId" = "SaleOrder"."id"
    LEFT JOIN "StockTransfer" AS back ON back."orderId" = "SaleOrder"."id" AND back."saleId" = "SaleOrder"."saleId" AND "to" = 'shop'
    WHERE "SaleOrder"."saleId" = ${saleId} GROUP BY 1, 2, 3, 4`;
  return rows.map(({ units, ...row }) => ({ ...row, units: Number(units) }));
}

/** Facts that the ledger cannot have come to by itself, with the first hundred of each kind. */
export interface StockFaults {
  /** Each item: the units in the sale, and the units that the transfers have brought from the shop. */
  supplies: { sku: string; units: Units; supplied: Units }[];
  /** Orders whose transfers do not lead to their status; without a status: transfers whose order is gone. */
  orders: { id: string; status: string | null; reserved: Units; sold: Units }[];
  /**
   * Users who hold more than a limit allows; without `sku`: the limit of the sale or, with `inCampaign`, of all sales
   * of its campaign.
   */
  beyond: { userId: string; sku: string | null; units: Units; max: Units; inCampaign: boolean }[];
  /** Orders with the highest numbers, highest first. */
  newest: string[];
  orderCount: number;
  buyers: number;
}

const LISTED_MAX = 100;

/** How many of the first so many reservations of a sale have an order. */
export async function ordersUpTo(database: Database, saleId: string, reservations: number): Promise<number> {
  const [row] = await database.$queryRaw<{ orders: bigint }[]>`
    SELECT count(*) AS "orders" FROM "SaleOrder" WHERE "saleId" = ${saleId} AND substr("id", length("saleId") + 2)::bigint <= ${reservations}`;
  return Number(row!.orders);
}

export async function stockFaults(database: Database, saleId: string): Promise<StockFaults> {
  const [supplies, orders, beyond, newest, [counts]] = await Promise.all([
    database.$queryRaw<{ sku: string; units: number; supplied: bigint }[]>`
      SELECT item."sku", item."units", coalesce(sum(supply."units"), 0)::bigint AS "supplied"
      FROM "SaleItem" AS item LEFT JOIN "StockTransfer" AS supply ON supply."saleId" = item."saleId" AND supply."sku" = item."sku" AND supply."from" = 'shop'
      WHERE item."saleId" = ${saleId} GROUP BY item."sku", item."units", item."ordinal" ORDER BY item."ordinal"`,
    database.$queryRaw<{ id: string; status: string | null; reserved: bigint; sold: bigint }[]>`
      WITH net AS (
        SELECT "orderId" AS "id", sum(CASE WHEN "to" = 'reserved' THEN "units" WHEN "from" = 'reserved' THEN -"units" ELSE 0 END) AS "reserved",
          sum(CASE WHEN "to" = 'sold' THEN "units" WHEN "from" = 'sold' THEN -"units" ELSE 0 END) AS "sold"
        FROM "StockTransfer" WHERE "saleId" = ${saleId} AND "orderId" IS NOT NULL GROUP BY 1),
      placed AS (SELECT "id", "status", "quantity" FROM "SaleOrder" WHERE "saleId" = ${saleId})
      SELECT "id", placed."status"::text AS "status", coalesce(net."reserved", 0)::bigint AS "reserved", coalesce(net."sold", 0)::bigint AS "sold"
      FROM net FULL JOIN placed USING ("id")
      WHERE placed."status" IS NULL OR coalesce(net."reserved", 0) <> CASE placed."status" WHEN 'created' THEN "quantity" ELSE 0 END
        OR coalesce(net."sold", 0) <> CASE placed."status" WHEN 'paid' THEN "quantity" ELSE 0 END
      ORDER BY "id" LIMIT ${LISTED_MAX}`,
    database.$queryRaw<{ userId: string; sku: string | null; units: bigint; max: number; inCampaign: boolean }[]>`
      WITH held AS (SELECT "userId", "sku", "quantity" FROM "SaleOrder" WHERE "saleId" = ${saleId} AND "status" IN ('created', 'paid'))
      SELECT "userId", held."sku", sum("quantity")::bigint AS "units", "perUserMax" AS "max", false AS "inCampaign"
      FROM held JOIN "SaleItem" ON "SaleItem"."saleId" = ${saleId} AND "SaleItem"."sku" = held."sku" GROUP BY 1, 2, 4 HAVING sum("quantity") > "perUserMax"
      UNION ALL
      SELECT "userId", NULL, sum("quantity")::bigint, "perUserMax", false FROM held JOIN "Sale" ON "Sale"."id" = ${saleId} GROUP BY 1, 4 HAVING sum("quantity") > "perUserMax"
      UNION ALL
      SELECT "userId", NULL, sum("quantity")::bigint, "winsPerUserMax", true
      FROM "Sale" AS this JOIN "Campaign" ON "Campaign"."id" = this."campaignId" JOIN "Sale" AS other ON other."campaignId" = this."campaignId"
        JOIN "SaleOrder" ON "SaleOrder"."saleId" = other."id" AND "status" IN ('created', 'paid')
      WHERE this."id" = ${saleId} GROUP BY 1, 4 HAVING sum("quantity") > "winsPerUserMax"
      LIMIT ${LISTED_MAX}`,
    database.$queryRaw<{ id: string }[]>`
      SELECT "id" FROM "SaleOrder" WHERE "saleId" = ${saleId} ORDER BY length("id") DESC, "id" DESC LIMIT ${LISTED_MAX}`,
    database.$queryRaw<
      { orders: bigint; buyers: bigint }[]
    >`SELECT count(*) AS "orders", count(DISTINCT "userId") AS "buyers" FROM "SaleOrder" WHERE "saleId" = ${saleId}`,
  ]);
  return {
    supplies: supplies.map(({ supplied, ...row }) => ({ ...row, supplied: Number(supplied) })),
    orders: orders.map(({ reserved, sold, ...row }) => ({ ...row, reserved: Number(reserved), sold: Number(sold) })),
    beyond: beyond.map(({ units, ...row }) => ({ ...row, units: Number(units) })),
    newest: newest.map(({ id }) => id),
    orderCount: Number(counts!.orders),
    buyers: Number(counts!.buyers),
  };
}
