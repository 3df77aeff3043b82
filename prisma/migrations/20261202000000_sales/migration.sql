-- CreateEnum
CREATE TYPE "OrderStatus" AS ENUM ('created', 'paid', 'cancelled', 'timed_out', 'failed', 'refunded');

-- CreateEnum
CREATE TYPE "OrderService" AS ENUM ('builtin', 'webhook');

-- CreateEnum
CREATE TYPE "StockPlace" AS ENUM ('shop', 'available', 'reserved', 'sold');

-- CreateTable
CREATE TABLE "Sale" (
    "id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "opensAt" TIMESTAMPTZ(3) NOT NULL,
    "closesAt" TIMESTAMPTZ(3) NOT NULL,
    "holdMs" INTEGER NOT NULL,
    "perUserMax" INTEGER,
    "terms" JSONB NOT NULL DEFAULT '{}',
    "rehearsal" BOOLEAN NOT NULL DEFAULT false,
    "orderService" "OrderService" NOT NULL DEFAULT 'builtin',
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "sealedAt" TIMESTAMPTZ(3),
    "settledAt" TIMESTAMPTZ(3),
    "campaignId" TEXT,
    "round" INTEGER,

    CONSTRAINT "Sale_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SaleItem" (
    "saleId" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "name" TEXT,
    "units" INTEGER NOT NULL,
    "priceCents" BIGINT NOT NULL,
    "listPriceCents" BIGINT,
    "picture" TEXT,
    "perOrderMax" INTEGER NOT NULL,
    "perUserMax" INTEGER NOT NULL,

    CONSTRAINT "SaleItem_pkey" PRIMARY KEY ("saleId","sku")
);

-- CreateTable
CREATE TABLE "SaleTopUp" (
    "id" TEXT NOT NULL,
    "saleId" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "units" INTEGER NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SaleTopUp_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "SaleOrder" (
    "id" TEXT NOT NULL,
    "saleId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "priceCents" BIGINT NOT NULL,
    "ref" TEXT,
    "status" "OrderStatus" NOT NULL DEFAULT 'created',
    "reservedAt" TIMESTAMPTZ(3) NOT NULL,
    "payBy" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "followed" BOOLEAN NOT NULL DEFAULT true,

    CONSTRAINT "SaleOrder_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "StockTransfer" (
    "id" TEXT NOT NULL,
    "saleId" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "from" "StockPlace" NOT NULL,
    "to" "StockPlace" NOT NULL,
    "units" INTEGER NOT NULL,
    "orderId" TEXT,
    "postedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "StockTransfer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "StockAccount" (
    "saleId" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "place" "StockPlace" NOT NULL,
    "units" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "StockAccount_pkey" PRIMARY KEY ("saleId","sku","place")
);

-- CreateIndex
CREATE UNIQUE INDEX "Sale_campaignId_round_key" ON "Sale"("campaignId", "round");

-- CreateIndex
CREATE UNIQUE INDEX "SaleItem_saleId_sku_priceCents_key" ON "SaleItem"("saleId", "sku", "priceCents");

-- CreateIndex
CREATE UNIQUE INDEX "SaleTopUp_saleId_ordinal_key" ON "SaleTopUp"("saleId", "ordinal");

-- CreateIndex
CREATE UNIQUE INDEX "SaleOrder_saleId_userId_ref_key" ON "SaleOrder"("saleId", "userId", "ref");

-- CreateIndex
CREATE INDEX "StockTransfer_orderId_idx" ON "StockTransfer"("orderId");

-- AddForeignKey
ALTER TABLE "Sale" ADD CONSTRAINT "Sale_campaignId_fkey" FOREIGN KEY ("campaignId") REFERENCES "Campaign"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "SaleItem" ADD CONSTRAINT "SaleItem_saleId_fkey" FOREIGN KEY ("saleId") REFERENCES "Sale"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "SaleTopUp" ADD CONSTRAINT "SaleTopUp_saleId_sku_fkey" FOREIGN KEY ("saleId", "sku") REFERENCES "SaleItem"("saleId", "sku") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "SaleOrder" ADD CONSTRAINT "SaleOrder_saleId_sku_priceCents_fkey" FOREIGN KEY ("saleId", "sku", "priceCents") REFERENCES "SaleItem"("saleId", "sku", "priceCents") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say.

-- A reservation is found by who waits longest, and a change that Redis does not have yet at once.
CREATE INDEX "SaleOrder_payBy_created_idx" ON "SaleOrder"("payBy") WHERE "status" = 'created';
CREATE INDEX "SaleOrder_not_followed_idx" ON "SaleOrder"("saleId", "changedAt") WHERE NOT "followed";

ALTER TABLE "Sale"
    ADD CONSTRAINT "Sale_opens_before_it_closes" CHECK ("opensAt" < "closesAt"),
    ADD CONSTRAINT "Sale_hold_above_zero" CHECK ("holdMs" > 0),
    ADD CONSTRAINT "Sale_limit_above_zero" CHECK ("perUserMax" > 0),
    ADD CONSTRAINT "Sale_campaign_and_round" CHECK (("campaignId" IS NULL) = ("round" IS NULL) AND ("campaignId" IS NULL OR "id" = "campaignId" || '.' || "round"));
ALTER TABLE "SaleItem"
    ADD CONSTRAINT "SaleItem_units_above_zero" CHECK ("units" > 0),
    ADD CONSTRAINT "SaleItem_price_not_below_zero" CHECK ("priceCents" >= 0),
    ADD CONSTRAINT "SaleItem_limits_above_zero" CHECK ("perOrderMax" > 0 AND "perUserMax" > 0);
ALTER TABLE "SaleTopUp"
    ADD CONSTRAINT "SaleTopUp_units_above_zero" CHECK ("units" > 0),
    ADD CONSTRAINT "SaleTopUp_id_1_to_128" CHECK (char_length("id") BETWEEN 1 AND 128);
ALTER TABLE "SaleOrder"
    ADD CONSTRAINT "SaleOrder_quantity_above_zero" CHECK ("quantity" > 0),
    ADD CONSTRAINT "SaleOrder_id_names_its_sale" CHECK (left("id", length("saleId") + 1) = "saleId" || '-' AND substr("id", length("saleId") + 2) ~ '^[1-9][0-9]{0,14}$');
ALTER TABLE "StockTransfer"
    ADD CONSTRAINT "StockTransfer_units_above_zero" CHECK ("units" > 0),
    ADD CONSTRAINT "StockTransfer_moves" CHECK ("from" <> "to");
-- Only the shop may be below zero: by what it has put into the sale. So nothing is sold that is not there.
ALTER TABLE "StockAccount" ADD CONSTRAINT "StockAccount_only_shop_below_zero" CHECK ("units" >= 0 OR "place" = 'shop');

CREATE TRIGGER "SaleTopUp_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "SaleTopUp"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "StockTransfer_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "StockTransfer"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "SaleOrder_stays" BEFORE DELETE OR TRUNCATE ON "SaleOrder"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER "SaleItem_stays" BEFORE DELETE OR TRUNCATE ON "SaleItem"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The functions below run as their owner. Stock moves because an item, a top-up, an order or the end of a sale was written, and in no
-- other way: whoever writes orders can neither move stock nor write a transfer.

CREATE FUNCTION supply_items() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units")
    SELECT 'supply:' || "saleId" || '/' || "sku", "saleId", "sku", 'shop', 'available', "units" FROM supplied;
    RETURN NULL;
END
$$;

CREATE FUNCTION supply_top_ups() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF EXISTS (SELECT FROM supplied JOIN "Sale" ON "Sale"."id" = supplied."saleId" WHERE "sealedAt" IS NOT NULL OR "settledAt" IS NOT NULL) THEN
        RAISE EXCEPTION 'the sale is over: nothing is added' USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units")
    SELECT 'supply:' || "saleId" || '/' || "sku" || '/' || "ordinal", "saleId", "sku", 'shop', 'available', "units" FROM supplied;
    UPDATE "SaleItem" AS item SET "units" = item."units" + added."units"
    FROM (SELECT "saleId", "sku", sum("units") AS "units" FROM supplied GROUP BY 1, 2) AS added
    WHERE item."saleId" = added."saleId" AND item."sku" = added."sku";
    RETURN NULL;
END
$$;

CREATE FUNCTION reserve_stock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    wrong RECORD;
BEGIN
    SELECT placed."id" INTO wrong FROM placed
    JOIN "SaleItem" USING ("saleId", "sku") JOIN "Sale" ON "Sale"."id" = placed."saleId"
    WHERE placed."quantity" > "SaleItem"."perOrderMax" OR placed."status" <> 'created' OR NOT placed."followed" OR "Sale"."settledAt" IS NOT NULL
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the order % is of a quantity that its sale does not allow, not a new one, or of a sale that is settled', wrong."id" USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units", "orderId")
    SELECT 'reserve:' || "id", "saleId", "sku", 'available', 'reserved', "quantity", "id" FROM placed;
    RETURN NULL;
END
$$;

-- What an order is about never changes, and its status only along the steps of src/sale/order.ts. What comes back after the end of the
-- sale goes to the shop: nobody could buy it.
CREATE FUNCTION move_stock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
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
    INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units", "orderId")
    SELECT CASE later."status" WHEN 'paid' THEN 'sell:' WHEN 'refunded' THEN 'refund:' ELSE 'release:' END || later."id", later."saleId", later."sku",
        CASE later."status" WHEN 'refunded' THEN 'sold' ELSE 'reserved' END::"StockPlace",
        CASE WHEN later."status" = 'paid' THEN 'sold' WHEN "sealedAt" IS NULL AND "settledAt" IS NULL AND "closesAt" > now() THEN 'available' ELSE 'shop' END::"StockPlace",
        later."quantity", later."id"
    FROM later JOIN earlier USING ("id") JOIN "Sale" ON "Sale"."id" = later."saleId"
    WHERE earlier."status" <> later."status";
    RETURN NULL;
END
$$;

-- A plan is kept from the first step of one order to a time-out of thousands; joined by loops, those would take the square of their number.
ALTER FUNCTION move_stock() SET enable_nestloop = off;

-- Accounts are locked in one order.
CREATE FUNCTION update_stock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    moved RECORD;
BEGIN
    FOR moved IN
        SELECT "saleId", "sku", "place", sum("units") AS "units" FROM (
            SELECT "saleId", "sku", "to" AS "place", "units" FROM posted
            UNION ALL SELECT "saleId", "sku", "from", -"units" FROM posted
        ) AS sides GROUP BY 1, 2, 3 HAVING sum("units") <> 0 ORDER BY 1, 2, 3
    LOOP
        INSERT INTO "StockAccount" AS account ("saleId", "sku", "place", "units") VALUES (moved."saleId", moved."sku", moved."place", 0)
        ON CONFLICT DO NOTHING;
        UPDATE "StockAccount" SET "units" = "units" + moved."units"
        WHERE "saleId" = moved."saleId" AND "sku" = moved."sku" AND "place" = moved."place";
    END LOOP;
    RETURN NULL;
END
$$;

-- The end of a sale: what is left goes back to the shop. A reservation that is not decided yet forbids it.
CREATE FUNCTION withdraw_stock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    IF EXISTS (SELECT FROM "StockAccount" WHERE "saleId" = NEW."id" AND "place" = 'reserved' AND "units" > 0) THEN
        RAISE EXCEPTION 'orders of the sale % wait for their payment', NEW."id" USING ERRCODE = 'check_violation';
    END IF;
    INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units")
    SELECT 'withdraw:' || "saleId" || '/' || "sku", "saleId", "sku", 'available', 'shop', "units"
    FROM "StockAccount" WHERE "saleId" = NEW."id" AND "place" = 'available' AND "units" > 0;
    RETURN NULL;
END
$$;

CREATE FUNCTION refuse_stock_by_hand() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF pg_trigger_depth() < 2 THEN
        RAISE EXCEPTION '% changes by orders, top-ups and the end of a sale only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    moving TEXT;
BEGIN
    FOREACH moving IN ARRAY ARRAY['supply_items', 'supply_top_ups', 'reserve_stock', 'move_stock', 'update_stock', 'withdraw_stock', 'refuse_stock_by_hand'] LOOP
        EXECUTE format('ALTER FUNCTION %I() SET search_path = pg_catalog, %I, pg_temp', moving, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', moving);
    END LOOP;
END
$$;

CREATE TRIGGER "SaleItem_supplies" AFTER INSERT ON "SaleItem" REFERENCING NEW TABLE AS supplied
    FOR EACH STATEMENT EXECUTE FUNCTION supply_items();
CREATE TRIGGER "SaleTopUp_supplies" AFTER INSERT ON "SaleTopUp" REFERENCING NEW TABLE AS supplied
    FOR EACH STATEMENT EXECUTE FUNCTION supply_top_ups();
CREATE TRIGGER "SaleOrder_reserves" AFTER INSERT ON "SaleOrder" REFERENCING NEW TABLE AS placed
    FOR EACH STATEMENT EXECUTE FUNCTION reserve_stock();
CREATE TRIGGER "SaleOrder_moves" AFTER UPDATE ON "SaleOrder" REFERENCING OLD TABLE AS earlier NEW TABLE AS later
    FOR EACH STATEMENT EXECUTE FUNCTION move_stock();
CREATE TRIGGER "StockTransfer_moves_units" AFTER INSERT ON "StockTransfer" REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION update_stock();
CREATE TRIGGER "Sale_withdraws" AFTER UPDATE ON "Sale"
    FOR EACH ROW WHEN (OLD."settledAt" IS NULL AND NEW."settledAt" IS NOT NULL) EXECUTE FUNCTION withdraw_stock();
CREATE TRIGGER "StockTransfer_by_trigger_only" BEFORE INSERT ON "StockTransfer"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_stock_by_hand();
CREATE TRIGGER "StockAccount_by_trigger_only" BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "StockAccount"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_stock_by_hand();
