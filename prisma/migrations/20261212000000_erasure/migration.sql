-- CreateTable
CREATE TABLE "Erasure" (
    "pseudonym" TEXT NOT NULL,
    "userId" TEXT,
    "rows" INTEGER NOT NULL DEFAULT 0,
    "erasedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Erasure_pkey" PRIMARY KEY ("pseudonym")
);

-- CreateIndex
CREATE INDEX "SaleRefusal_userId_idx" ON "SaleRefusal"("userId");

-- What follows Prisma's schema cannot say. The id of a user who is to be forgotten is replaced by a pseudonym, everywhere at once. No amount,
-- unit, packet, order or time changes: every sum and proof is of the same figures as before.

-- The id comes in by an insert and is not kept. Chance chooses the pseudonym, so that nobody computes it from the id.
ALTER TABLE "Erasure"
    ADD CONSTRAINT "Erasure_keeps_no_id" CHECK ("userId" IS NULL),
    ADD CONSTRAINT "Erasure_pseudonym_of_chance" CHECK ("pseudonym" ~ '^erased-[0-9a-f]{32}$');
CREATE TRIGGER "Erasure_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "Erasure"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- What was written stays written, but for the ids that an erasure replaces. A caller's own trigger may be as deep, but it does not run as
-- the owner of `erase_user`.
CREATE FUNCTION refuse_change_but_erasure() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP <> 'UPDATE' OR pg_trigger_depth() < 2 OR current_user <> (
        SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE oid = to_regprocedure(format('%I.erase_user()', TG_TABLE_SCHEMA))
    ) THEN
        RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

-- Also an erasure changes nothing but the columns that are named here.
CREATE FUNCTION refuse_more_than_ids() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF to_jsonb(OLD) - TG_ARGV::text[] IS DISTINCT FROM to_jsonb(NEW) - TG_ARGV::text[] THEN
        RAISE EXCEPTION '% is append-only: an erasure changes ids only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

DO $$
DECLARE
    altered RECORD;
BEGIN
    FOR altered IN SELECT * FROM (VALUES
        ('Transfer', '''userId'', ''creditAccountId'''), ('Reservation', '''userId'''), ('SaleRefusal', '''userId'', ''detail'''), ('Discard', '''entry'''), ('OperatorAction', '''details''')
    ) AS one ("name", "ids") LOOP
        EXECUTE format('DROP TRIGGER %I ON %I', altered."name" || '_is_append_only', altered."name");
        EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE OR DELETE OR TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_but_erasure()', altered."name" || '_is_append_only', altered."name");
        EXECUTE format('CREATE TRIGGER %I BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION refuse_more_than_ids(%s)', altered."name" || '_changes_ids_only', altered."name", altered."ids");
    END LOOP;
END
$$;

-- An order changes along its steps, as before. Its buyer changes by an erasure only: no role of a server may change that column.
DO $$
DECLARE
    before TEXT := pg_get_functiondef('move_stock()'::regprocedure);
    after TEXT;
BEGIN
    after := replace(before, '(later."saleId", later."userId", later."sku"',
        '(later."saleId", CASE WHEN pg_trigger_depth() > 1 AND later."userId" ~ ''^erased-[0-9a-f]{32}$'' THEN earlier."userId" ELSE later."userId" END, later."sku"');
    after := replace(after, 'OR earlier."ref" IS DISTINCT FROM later."ref"',
        'OR earlier."ref" IS DISTINCT FROM later."ref" AND NOT (pg_trigger_depth() > 1 AND later."ref" IS NULL AND later."userId" <> earlier."userId")');
    IF position('ELSE later."userId" END' IN after) = 0 OR position('<> earlier."userId")' IN after) = 0 THEN
        RAISE EXCEPTION 'move_stock() is not as this migration knows it';
    END IF;
    EXECUTE after;
END
$$;

-- Why nothing is erased at present: something of the user is not over, so that Redis, gateways and workers know the user by the id.
CREATE FUNCTION takes_part_in(who TEXT) RETURNS TEXT LANGUAGE sql STABLE AS $$
    WITH rains AS (
        SELECT "rainId" FROM "Transfer" WHERE "creditAccountId" IN ('user:' || who, 'shadow:user:' || who)
        UNION SELECT kept."rainId" FROM "Rain" JOIN "Reservation" AS kept ON kept."rainId" = "Rain"."id" AND kept."userId" = who
    ), sales AS (
        SELECT ordered."saleId", bool_or(ordered."status" = 'created') AS "waits" FROM "Sale" JOIN "SaleOrder" AS ordered ON ordered."saleId" = "Sale"."id" AND ordered."userId" = who GROUP BY 1
        UNION ALL SELECT "saleId", false FROM "SaleRefusal" WHERE "userId" = who
    ), campaigns AS (
        SELECT "campaignId" FROM "Rain" JOIN rains ON "rainId" = "id" UNION SELECT "campaignId" FROM "Sale" JOIN sales ON "saleId" = "id"
    )
    SELECT coalesce(
        (SELECT 'the rain ' || min("id") FROM "Rain" WHERE "settledAt" IS NULL AND ("id" IN (SELECT "rainId" FROM rains) OR "campaignId" IN (SELECT "campaignId" FROM campaigns))),
        (SELECT 'the sale ' || min("id") FROM "Sale" WHERE "settledAt" IS NULL AND ("id" IN (SELECT "saleId" FROM sales) OR "campaignId" IN (SELECT "campaignId" FROM campaigns))),
        (SELECT 'the sale ' || min("saleId") FROM sales WHERE "waits"))
$$;

-- The account is locked first: a credit of this moment is either seen, or waits and opens an account of its own. Without anything to erase
-- nothing is written.
CREATE FUNCTION erase_user() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    who TEXT := NEW."userId";
    prefix TEXT;
    held BIGINT;
    changed INTEGER;
    part TEXT;
BEGIN
    IF who IS NULL OR who ~ '^erased-[0-9a-f]{32}$' OR NEW."rows" <> 0 THEN
        RAISE EXCEPTION 'an erasure names the id of a user, and nothing else' USING ERRCODE = 'check_violation';
    END IF;
    PERFORM FROM "Account" WHERE "id" IN ('user:' || who, 'shadow:user:' || who) ORDER BY "id" FOR UPDATE;
    part := takes_part_in(who);
    IF part IS NOT NULL THEN
        RAISE EXCEPTION 'not over: %', part USING ERRCODE = '23R04';
    END IF;
    FOREACH prefix IN ARRAY ARRAY['user:', 'shadow:user:'] LOOP
        SELECT "balanceCents" INTO held FROM "Account" WHERE "id" = prefix || who;
        CONTINUE WHEN NOT FOUND;
        INSERT INTO "Account" ("id", "kind", "balanceCents") VALUES (prefix || NEW."pseudonym", 'user', held);
        UPDATE "Transfer" SET "userId" = NEW."pseudonym", "creditAccountId" = prefix || NEW."pseudonym" WHERE "creditAccountId" = prefix || who;
        GET DIAGNOSTICS changed = ROW_COUNT;
        NEW."rows" := NEW."rows" + changed + 1;
        DELETE FROM "Account" WHERE "id" = prefix || who;
    END LOOP;

    UPDATE "Reservation" AS kept SET "userId" = NEW."pseudonym" FROM "Rain" WHERE kept."rainId" = "Rain"."id" AND kept."userId" = who;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;
    UPDATE "SaleOrder" AS ordered SET "userId" = NEW."pseudonym", "ref" = NULL FROM "Sale" WHERE ordered."saleId" = "Sale"."id" AND ordered."userId" = who;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;
    -- Of a limit the detail begins with the user.
    UPDATE "SaleRefusal" SET "userId" = NEW."pseudonym",
        "detail" = CASE WHEN starts_with("detail", who || ' would hold ') THEN left(NEW."pseudonym" || substr("detail", length(who) + 1), 1000) ELSE "detail" END
    WHERE "userId" = who;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;

    UPDATE "Discard" SET "entry" = replace("entry", '"userId":' || to_json(who)::text, '"userId":' || to_json(NEW."pseudonym")::text)
    WHERE position('"userId":' || to_json(who)::text IN "entry") > 0;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;
    UPDATE "OperatorAction" SET "details" = jsonb_set("details", '{userId}', to_jsonb(NEW."pseudonym")) WHERE "details"->>'userId' = who;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;
    UPDATE "OperatorAction" SET "details" = jsonb_set("details", '{who}', to_jsonb(NEW."pseudonym")) WHERE "details"->>'kind' = 'user' AND "details"->>'who' = who;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;
    -- A write-off names its wins as `<packet> <user>`.
    UPDATE "OperatorAction" SET "details" = jsonb_set("details", '{wins}', (
        SELECT jsonb_agg(CASE WHEN substr(win, position(' ' IN win) + 1) = who THEN left(win, position(' ' IN win)) || NEW."pseudonym" ELSE win END ORDER BY ordinal)
        FROM jsonb_array_elements_text("details"->'wins') WITH ORDINALITY AS one (win, ordinal)))
    WHERE "verb" = 'write-off' AND jsonb_typeof("details"->'wins') = 'array'
        AND EXISTS (SELECT FROM jsonb_array_elements_text("details"->'wins') AS one (win) WHERE position(' ' IN win) > 0 AND substr(win, position(' ' IN win) + 1) = who);
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;

    IF NEW."rows" = 0 THEN
        RETURN NULL;
    END IF;
    NEW."userId" := NULL;
    RETURN NEW;
END
$$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION erase_user() SET search_path = pg_catalog, %I, pg_temp', current_schema());
    EXECUTE format('ALTER FUNCTION takes_part_in(TEXT) SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
REVOKE ALL ON FUNCTION erase_user() FROM PUBLIC;

CREATE TRIGGER "Erasure_erases" BEFORE INSERT ON "Erasure"
    FOR EACH ROW EXECUTE FUNCTION erase_user();
