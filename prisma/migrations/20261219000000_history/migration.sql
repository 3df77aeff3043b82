-- What is settled, or audited, is not counted again: the cost of a list and of an audit must not grow with the past.

-- AlterTable
ALTER TABLE "Rain" ADD COLUMN "credited" INTEGER;

UPDATE "Rain" SET "credited" = (SELECT count(*) FROM "Transfer" WHERE "rainId" = "Rain"."id" AND "userId" IS NOT NULL) WHERE "settledAt" IS NOT NULL;

CREATE FUNCTION keep_credited() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."credited" := (SELECT count(*) FROM "Transfer" WHERE "rainId" = NEW."id" AND "userId" IS NOT NULL);
    RETURN NEW;
END
$$;

CREATE TRIGGER "Rain_keeps_its_count" BEFORE UPDATE ON "Rain"
    FOR EACH ROW WHEN (OLD."settledAt" IS NULL AND NEW."settledAt" IS NOT NULL) EXECUTE FUNCTION keep_credited();

-- AlterTable
ALTER TABLE "Sale" ADD COLUMN "orders" INTEGER;

UPDATE "Sale" SET "orders" = (SELECT count(*) FROM "SaleOrder" WHERE "saleId" = "Sale"."id") WHERE "settledAt" IS NOT NULL;

CREATE FUNCTION keep_orders() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW."orders" := (SELECT count(*) FROM "SaleOrder" WHERE "saleId" = NEW."id");
    RETURN NEW;
END
$$;

CREATE TRIGGER "Sale_keeps_its_count" BEFORE UPDATE ON "Sale"
    FOR EACH ROW WHEN (OLD."settledAt" IS NULL AND NEW."settledAt" IS NOT NULL) EXECUTE FUNCTION keep_orders();

-- CreateTable
CREATE TABLE "AuditedAccount" (
    "accountId" TEXT NOT NULL,
    "cents" BIGINT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "AuditedAccount_pkey" PRIMARY KEY ("accountId")
);

-- AddForeignKey
ALTER TABLE "AuditedAccount" ADD CONSTRAINT "AuditedAccount_accountId_fkey" FOREIGN KEY ("accountId") REFERENCES "Account"("id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Both functions run as their owner: no role reads or writes the table itself, so nobody can write a sum that hides a changed balance.

-- In the snapshot of the statement that calls it: a credit is in the balance and in the sum, or in neither.
CREATE FUNCTION audited_accounts(ids TEXT[]) RETURNS SETOF "AuditedAccount" LANGUAGE sql STABLE SECURITY DEFINER AS $$
    SELECT * FROM "AuditedAccount" WHERE "accountId" = ANY (ids)
$$;

-- Sums the credits of these users until a moment at which no transaction is still open that began before it.
CREATE FUNCTION keep_audited(ids TEXT[]) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
    INSERT INTO "AuditedAccount" AS kept ("accountId", "cents", "until")
    SELECT account."id", coalesce(before."cents", 0) + newer."cents", bound."until"
    FROM "Account" AS account
    CROSS JOIN (SELECT date_trunc('milliseconds', now() - interval '5 minutes') AS "until") AS bound
    LEFT JOIN "AuditedAccount" AS before ON before."accountId" = account."id"
    CROSS JOIN LATERAL (
        SELECT coalesce(sum("amountCents"), 0)::bigint AS "cents" FROM "Transfer"
        WHERE "creditAccountId" = account."id" AND "postedAt" > coalesce(before."until", '-infinity') AND "postedAt" <= bound."until"
    ) AS newer
    WHERE account."id" = ANY (ids) AND account."kind" = 'user' AND coalesce(before."until" < bound."until", true)
    ORDER BY account."id"
    ON CONFLICT ("accountId") DO UPDATE SET "cents" = excluded."cents", "until" = excluded."until" WHERE kept."until" < excluded."until"
$$;

-- No table of the caller's own hides a real one.
DO $$
DECLARE
    keeping TEXT;
BEGIN
    FOREACH keeping IN ARRAY ARRAY['keep_credited()', 'keep_orders()', 'audited_accounts(TEXT[])', 'keep_audited(TEXT[])'] LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', keeping, current_schema());
    END LOOP;
END
$$;
