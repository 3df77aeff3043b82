-- A wallet elsewhere that is asked under claim ids which name the user and the amount too, so that a wallet that remembers them longer
-- than this database (after a restore of an older backup) never takes one user's claim for another's. Rains that are under way keep
-- their value and with it their ids: a claim that is asked for under two ids is paid twice.
ALTER TYPE "Keeper" ADD VALUE 'webhook_v2';

-- What follows Prisma's schema cannot say.

-- In a rain that any wallet elsewhere keeps, nothing is credited that the wallet was not asked for. The new value is not named here:
-- PostgreSQL refuses it in the transaction that adds it.
CREATE OR REPLACE FUNCTION refuse_unreserved_credit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM posted JOIN "Rain" ON "Rain"."id" = posted."rainId"
        WHERE "Rain"."keeper" <> 'ledger' AND posted."kind" = 'credit' AND NOT EXISTS (
            SELECT FROM "Reservation" AS kept WHERE kept."redPacketId" = posted."redPacketId" AND kept."userId" = posted."userId")
    ) THEN
        RAISE EXCEPTION 'the money of this rain is kept by a wallet elsewhere, which was not asked' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

-- To replace a function drops its settings; the earlier migration says why it has this one.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION refuse_unreserved_credit() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
