-- CreateTable
CREATE TABLE "SaleRefusal" (
    "reservationId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "saleId" TEXT NOT NULL,
    "sku" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL,
    "reason" TEXT NOT NULL,
    "detail" TEXT NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "SaleRefusal_pkey" PRIMARY KEY ("reservationId","userId")
);

-- CreateIndex
CREATE INDEX "SaleRefusal_saleId_idx" ON "SaleRefusal"("saleId");

-- What follows Prisma's schema cannot say.

ALTER TABLE "SaleRefusal"
    ADD CONSTRAINT "SaleRefusal_quantity_above_zero" CHECK ("quantity" > 0),
    ADD CONSTRAINT "SaleRefusal_reason_known" CHECK ("reason" IN ('stock', 'limit', 'time', 'terms', 'differs', 'lost')),
    ADD CONSTRAINT "SaleRefusal_detail_1_to_1000" CHECK (char_length("detail") BETWEEN 1 AND 1000),
    ADD CONSTRAINT "SaleRefusal_id_names_its_sale" CHECK (left("reservationId", length("saleId") + 1) = "saleId" || '-' AND substr("reservationId", length("saleId") + 2) ~ '^[1-9][0-9]{0,14}$');

CREATE TRIGGER "SaleRefusal_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "SaleRefusal"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- An order is of a reservation that was made while the sale was open, as it is or was planned, and nobody reserves in the future: its deadline
-- is not for whoever writes it to choose. Clocks may differ, but not by an hour. The sale is locked before its stock, as its end does, where a limit covers several items or sales.
CREATE OR REPLACE FUNCTION reserve_stock() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
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
    SELECT placed."id", placed."reservedAt", placed."payBy" INTO wrong FROM placed JOIN "Sale" ON "Sale"."id" = placed."saleId"
    WHERE placed."payBy" <> placed."reservedAt" + "Sale"."holdMs" * interval '1 millisecond'
        OR placed."reservedAt" > now() + interval '1 hour'
        OR placed."reservedAt" NOT BETWEEN "Sale"."opensAt" - interval '1 minute' AND "Sale"."closesAt" + interval '1 minute' AND NOT EXISTS (
            SELECT FROM "OperatorAction" AS planned WHERE planned."rainId" = placed."saleId" AND planned."verb" IN ('create-sale', 'start') AND placed."reservedAt"
                BETWEEN (planned."details"->>'opensAt')::timestamptz - interval '1 minute' AND (planned."details"->>'closesAt')::timestamptz + interval '1 minute')
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the order % was reserved at %, to be paid by %: its sale was not open then, or gives another time', wrong."id", wrong."reservedAt", wrong."payBy" USING ERRCODE = '23R02';
    END IF;
    PERFORM FROM "Sale" WHERE "id" IN (SELECT "saleId" FROM placed) AND ("perUserMax" IS NOT NULL OR "campaignId" IS NOT NULL) ORDER BY "id" FOR NO KEY UPDATE;
    PERFORM FROM "Campaign" WHERE "id" IN (SELECT "campaignId" FROM "Sale" JOIN placed ON "Sale"."id" = placed."saleId") ORDER BY "id" FOR NO KEY UPDATE;
    INSERT INTO "StockTransfer" ("id", "saleId", "sku", "from", "to", "units", "orderId")
    SELECT 'reserve:' || "id", "saleId", "sku", 'available', 'reserved', "quantity", "id" FROM placed;
    RETURN NULL;
END
$$;

-- After the stock: its lock makes two writers of one item wait for each other, so each sees what the other has written. What others have is
-- looked up for one buyer at a time: the planner believes the table empty at the beginning of a sale, and a join that it chooses then would
-- read all orders of the sale for each batch.
CREATE FUNCTION hold_limits() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    wrong RECORD;
BEGIN
    SELECT placed."id" INTO wrong FROM placed
    CROSS JOIN LATERAL (SELECT FROM "SaleRefusal" WHERE "reservationId" = placed."id" AND "SaleRefusal"."userId" = placed."userId" OFFSET 0) AS before
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the reservation % was refused before, and its buyer was told so', wrong."id" USING ERRCODE = '23R03';
    END IF;
    SELECT "userId", "sku", "units", "itemMax", "ofSale", "saleMax" INTO wrong FROM (
        SELECT buyer."userId", held."sku", sum(held."quantity") AS "units", "SaleItem"."perUserMax" AS "itemMax",
            sum(sum(held."quantity")) OVER (PARTITION BY buyer."saleId", buyer."userId") AS "ofSale", "Sale"."perUserMax" AS "saleMax"
        FROM (SELECT DISTINCT "saleId", "userId" FROM placed) AS buyer
        CROSS JOIN LATERAL (
            SELECT "saleId", "sku", "quantity" FROM "SaleOrder"
            WHERE "saleId" = buyer."saleId" AND "userId" = buyer."userId" AND "status"::text IN ('created', 'paid') OFFSET 0) AS held
        JOIN "SaleItem" ON "SaleItem"."saleId" = held."saleId" AND "SaleItem"."sku" = held."sku"
        JOIN "Sale" ON "Sale"."id" = held."saleId"
        GROUP BY buyer."saleId", buyer."userId", held."sku", "SaleItem"."perUserMax", "Sale"."perUserMax") AS holding
    WHERE "units" > "itemMax" OR "ofSale" > "saleMax" LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION '% would hold % units of % and % in the sale; a user may hold % of it and % in the sale',
            wrong."userId", wrong."units", wrong."sku", wrong."ofSale", wrong."itemMax", coalesce(wrong."saleMax"::text, 'any number') USING ERRCODE = '23R01';
    END IF;
    IF EXISTS (SELECT FROM "Sale" WHERE "id" IN (SELECT "saleId" FROM placed) AND "campaignId" IS NOT NULL) THEN
        SELECT buyer."userId", sum(held."quantity") AS "units", "Campaign"."winsPerUserMax" AS "max" INTO wrong
        FROM (SELECT DISTINCT "saleId", "userId" FROM placed) AS buyer
        JOIN "Sale" AS this ON this."id" = buyer."saleId" JOIN "Campaign" ON "Campaign"."id" = this."campaignId" JOIN "Sale" AS other ON other."campaignId" = this."campaignId"
        CROSS JOIN LATERAL (
            SELECT "quantity" FROM "SaleOrder" WHERE "saleId" = other."id" AND "userId" = buyer."userId" AND "status"::text IN ('created', 'paid') OFFSET 0) AS held
        GROUP BY buyer."saleId", buyer."userId", "Campaign"."winsPerUserMax" HAVING sum(held."quantity") > "Campaign"."winsPerUserMax" LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION '% would hold % units in the sales of the campaign; a user may hold %', wrong."userId", wrong."units", wrong."max" USING ERRCODE = '23R01';
        END IF;
    END IF;
    RETURN NULL;
END
$$;

ALTER FUNCTION hold_limits() SET enable_seqscan = off;
ALTER FUNCTION hold_limits() SET enable_bitmapscan = off;

-- A buyer who was told that a reservation has failed never gets its order, and who has the order is never told that. The stock of the item
-- is locked, as it is by an order: of two that come at one moment the second sees the first.
CREATE FUNCTION refuse_reservations() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    ordered RECORD;
BEGIN
    PERFORM FROM "StockAccount" WHERE ("saleId", "sku") IN (SELECT "saleId", "sku" FROM refused) AND "place" = 'available' ORDER BY "saleId", "sku" FOR NO KEY UPDATE;
    SELECT refused."reservationId" AS "id" INTO ordered FROM refused
    CROSS JOIN LATERAL (SELECT FROM "SaleOrder" WHERE "SaleOrder"."id" = refused."reservationId" AND "SaleOrder"."userId" = refused."userId" OFFSET 0) AS "order"
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the reservation % has an order: it is not refused', ordered."id" USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    changed TEXT;
BEGIN
    FOREACH changed IN ARRAY ARRAY['reserve_stock', 'hold_limits', 'refuse_reservations'] LOOP
        EXECUTE format('ALTER FUNCTION %I() SET search_path = pg_catalog, %I, pg_temp', changed, current_schema());
        EXECUTE format('REVOKE ALL ON FUNCTION %I() FROM PUBLIC', changed);
    END LOOP;
END
$$;

-- After "SaleOrder_reserves": triggers of one kind run in the order of their names.
CREATE TRIGGER "SaleOrder_within_limits" AFTER INSERT ON "SaleOrder" REFERENCING NEW TABLE AS placed
    FOR EACH STATEMENT EXECUTE FUNCTION hold_limits();
CREATE TRIGGER "SaleRefusal_excludes_orders" AFTER INSERT ON "SaleRefusal" REFERENCING NEW TABLE AS refused
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_reservations();
