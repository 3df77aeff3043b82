-- CreateEnum
CREATE TYPE "Keeper" AS ENUM ('ledger', 'webhook');

-- AlterTable
ALTER TABLE "Rain" ADD COLUMN "keeper" "Keeper";

-- What follows Prisma's schema cannot say.

-- Rains of which something was paid already.
UPDATE "Rain" SET "keeper" = 'webhook'
    WHERE NOT "rehearsal" AND EXISTS (SELECT FROM "Reservation" WHERE "rainId" = "Rain"."id" AND "userId" IS NOT NULL);
UPDATE "Rain" SET "keeper" = 'ledger'
    WHERE NOT "rehearsal" AND "keeper" IS NULL AND EXISTS (SELECT FROM "Transfer" WHERE "rainId" = "Rain"."id" AND "kind" = 'credit');

-- One rain, one keeper: of two processes with different settings the second would pay users what they look for elsewhere.
CREATE FUNCTION refuse_another_keeper() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'who keeps the money of a rain is decided once' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "Rain_keeps_its_keeper" BEFORE UPDATE ON "Rain"
    FOR EACH ROW WHEN (OLD."keeper" IS NOT NULL AND OLD."keeper" IS DISTINCT FROM NEW."keeper") EXECUTE FUNCTION refuse_another_keeper();

ALTER TABLE "Rain" ADD CONSTRAINT "Rain_of_shadow_money_has_no_keeper" CHECK (NOT "rehearsal" OR "keeper" IS NULL);

-- A wallet outside is asked for what is reserved: in a rain that our own book keeps nothing is.
CREATE FUNCTION refuse_reservation_at_home() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM reserved JOIN "Rain" ON "Rain"."id" = reserved."rainId" WHERE "Rain"."keeper" = 'ledger' AND reserved."userId" IS NOT NULL) THEN
        RAISE EXCEPTION 'the money of this rain is kept by our own book' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "Reservation_never_at_home" AFTER INSERT ON "Reservation" REFERENCING NEW TABLE AS reserved
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_reservation_at_home();

-- And in a rain that a wallet keeps, nothing is credited that the wallet was not asked for.
CREATE FUNCTION refuse_unreserved_credit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM posted JOIN "Rain" ON "Rain"."id" = posted."rainId"
        WHERE "Rain"."keeper" = 'webhook' AND posted."kind" = 'credit' AND NOT EXISTS (
            SELECT FROM "Reservation" AS kept WHERE kept."redPacketId" = posted."redPacketId" AND kept."userId" = posted."userId")
    ) THEN
        RAISE EXCEPTION 'the money of this rain is kept by a wallet elsewhere, which was not asked' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "Transfer_as_its_keeper_was_asked" AFTER INSERT ON "Transfer" REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unreserved_credit();
