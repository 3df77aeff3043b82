-- What Prisma's schema cannot say: a balance changes by a transfer, and by nothing else.

-- The account of a new user is made by the trigger below, after the transfer is inserted.
ALTER TABLE "Transfer"
    ALTER CONSTRAINT "Transfer_debitAccountId_fkey" DEFERRABLE INITIALLY DEFERRED,
    ALTER CONSTRAINT "Transfer_creditAccountId_fkey" DEFERRABLE INITIALLY DEFERRED;

-- Books all transfers of one statement. Accounts are locked in one order: users by id, operators, rains last. All batches of a rain
-- want the rain's row, so it is locked for the shortest time. It runs as its owner: a role that only inserts transfers needs no right
-- to change accounts.
CREATE FUNCTION update_balances() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    rain RECORD;
BEGIN
    INSERT INTO "Account" AS account ("id", "kind", "balanceCents")
    SELECT "creditAccountId", 'user', sum("amountCents") FROM posted WHERE "kind" = 'credit'
    GROUP BY "creditAccountId" ORDER BY "creditAccountId"
    ON CONFLICT ("id") DO UPDATE SET "balanceCents" = account."balanceCents" + excluded."balanceCents";

    INSERT INTO "Account" AS account ("id", "kind", "balanceCents")
    SELECT CASE "kind" WHEN 'fund' THEN "debitAccountId" ELSE "creditAccountId" END, 'operator',
        sum(CASE "kind" WHEN 'fund' THEN -"amountCents" ELSE "amountCents" END)
    FROM posted WHERE "kind" <> 'credit' GROUP BY 1 ORDER BY 1
    ON CONFLICT ("id") DO UPDATE SET "balanceCents" = account."balanceCents" + excluded."balanceCents";

    INSERT INTO "Account" ("id", "kind")
    SELECT DISTINCT "creditAccountId", 'rain'::"AccountKind" FROM posted WHERE "kind" = 'fund' ORDER BY "creditAccountId"
    ON CONFLICT ("id") DO NOTHING;
    FOR rain IN
        SELECT CASE "kind" WHEN 'fund' THEN "creditAccountId" ELSE "debitAccountId" END AS "id",
            sum(CASE "kind" WHEN 'fund' THEN "amountCents" ELSE -"amountCents" END) AS "cents"
        FROM posted GROUP BY 1 ORDER BY 1
    LOOP
        UPDATE "Account" SET "balanceCents" = "balanceCents" + rain."cents" WHERE "id" = rain."id";
    END LOOP;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION update_balances() FROM PUBLIC;

-- Refuses a change of a balance that does not come from the function above. A caller's own trigger may be as deep, but it does not
-- run as the owner of that function. The error is one that is tried again: a worker of an older version, which updates balances
-- itself, waits to be restarted instead of giving up its claims.
CREATE FUNCTION refuse_direct_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_trigger_depth() < 2 OR current_user <> (
        SELECT pg_get_userbyid(proowner) FROM pg_proc WHERE oid = to_regprocedure(format('%I.update_balances()', TG_TABLE_SCHEMA))
    ) THEN
        RAISE EXCEPTION '% changes by a transfer only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;

-- A caller's own schema, the temporary one included, must not stand before the one of the tables: another "Rain" there would let
-- transfers pass that these functions refuse.
DO $$
DECLARE
    checking TEXT;
BEGIN
    FOREACH checking IN ARRAY ARRAY['update_balances', 'refuse_mixed_money', 'refuse_rehearsal', 'refuse_reservation_at_home', 'refuse_unreserved_credit'] LOOP
        EXECUTE format('ALTER FUNCTION %I() SET search_path = pg_catalog, %I, pg_temp', checking, current_schema());
    END LOOP;
END
$$;

-- Named so that it is the last one: money that may not move is refused before.
CREATE TRIGGER "Transfer_updates_balances" AFTER INSERT ON "Transfer" REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION update_balances();

CREATE TRIGGER "Account_changes_by_transfer" BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON "Account"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_direct_change();
