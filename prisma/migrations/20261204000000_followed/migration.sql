-- That Redis knows a status was a column of the order, so each change rewrote the order and its indexes twice. Now a change that Redis does
-- not know has a row of its own, which goes when Redis knows it.

-- CreateTable
CREATE TABLE "UnfollowedOrder" (
    "orderId" TEXT NOT NULL,
    "saleId" TEXT NOT NULL,
    "status" "OrderStatus" NOT NULL,
    "changedAt" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "UnfollowedOrder_pkey" PRIMARY KEY ("orderId")
);

-- CreateIndex
CREATE INDEX "UnfollowedOrder_saleId_changedAt_idx" ON "UnfollowedOrder"("saleId", "changedAt");

INSERT INTO "UnfollowedOrder" ("orderId", "saleId", "status", "changedAt")
SELECT "id", "saleId", "status", "changedAt" FROM "SaleOrder" WHERE NOT "followed";

-- DropIndex
DROP INDEX "SaleOrder_not_followed_idx";

-- AlterTable
ALTER TABLE "SaleOrder" DROP COLUMN "followed";

-- DropIndex
-- The transfers of an order are found by their ids.
DROP INDEX "StockTransfer_orderId_idx";

-- CreateIndex
-- An audit reads the transfers of one sale, and the table keeps those of all sales ever. Those of a sale lie together.
CREATE INDEX "StockTransfer_saleId_brin" ON "StockTransfer" USING brin ("saleId" text_bloom_ops);

-- What follows Prisma's schema cannot say.

-- As it is, without the column that is gone.
DO $$
BEGIN
    EXECUTE replace(pg_get_functiondef('reserve_stock()'::regprocedure), ' OR NOT placed."followed"', '');
END
$$;

-- As before, and each step is written down for Redis, under the lock of its order. A refund that began before its sale was sealed, and is
-- committed after it was settled, would leave its units where nobody sells them: it waits for the sale, or the sale for it.
CREATE OR REPLACE FUNCTION move_stock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    wrong RECORD;
BEGIN
    SELECT earlier."id", earlier."status" AS "was", later."status" AS "is" INTO wrong FROM earlier LEFT JOIN later USING ("id")
    WHERE (later."saleId", later."userId", later."sku", later."quantity", later."priceCents", later."reservedAt", later."payBy")
            IS DISTINCT FROM (earlier."saleId", earlier."userId", earlier."sku", earlier."quantity", earlier."priceCents", earlier."reservedAt", earlier."payBy")
        OR earlier."ref" IS DISTINCT FROM later."ref"
        OR earlier."status" <> later."status" AND NOT (
            earlier."status" = 'created' AND later."status" IN ('paid', 'cancelled', 'timed_out', 'failed')
            OR earlier."status" = 'paid' AND later."status" = 'refunded')
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the order % cannot change from % to %, or in what it is about', wrong."id", wrong."was", wrong."is" USING ERRCODE = 'check_violation';
    END IF;
    PERFORM FROM "Sale" WHERE "id" IN (SELECT "saleId" FROM later WHERE "status" = 'refunded') ORDER BY "id" FOR SHARE;
    INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units", "orderId")
    SELECT CASE later."status" WHEN 'paid' THEN 'sell:' WHEN 'refunded' THEN 'refund:' ELSE 'release:' END || later."id", later."saleId", later."sku",
        CASE later."status" WHEN 'refunded' THEN 'sold' ELSE 'reserved' END::"StockPlace",
        CASE WHEN later."status" = 'paid' THEN 'sold' WHEN "sealedAt" IS NULL AND "settledAt" IS NULL AND "closesAt" > now() THEN 'available' ELSE 'shop' END::"StockPlace",
        later."quantity", later."id"
    FROM later JOIN earlier USING ("id") JOIN "Sale" ON "Sale"."id" = later."saleId"
    WHERE earlier."status" <> later."status";
    INSERT INTO "UnfollowedOrder" AS mark ("orderId", "saleId", "status", "changedAt")
    SELECT later."id", later."saleId", later."status", later."changedAt" FROM later JOIN earlier USING ("id") WHERE earlier."status" <> later."status"
    ON CONFLICT ("orderId") DO UPDATE SET "status" = excluded."status", "changedAt" = excluded."changedAt";
    RETURN NULL;
END
$$;

-- Replacing a function has dropped its settings. Why joins by loops are off: see its first version.
ALTER FUNCTION move_stock() SET enable_nestloop = off;
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION move_stock() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
