-- AlterTable
ALTER TABLE "Rain" ADD COLUMN "rehearsal" BOOLEAN NOT NULL DEFAULT false;

-- What follows Prisma's schema cannot say.

-- A rehearsal is played with shadow money: the same accounts, and before each name `shadow:`. No real account begins so.
ALTER TABLE "Account"
    DROP CONSTRAINT "Account_id_names_its_kind",
    ADD CONSTRAINT "Account_id_names_its_kind" CHECK (CASE "kind"
        WHEN 'operator' THEN "id" IN ('operator', 'shadow:operator')
        WHEN 'rain' THEN "id" LIKE 'rain:_%' OR "id" LIKE 'shadow:rain:_%'
        WHEN 'user' THEN "id" LIKE 'user:_%' OR "id" LIKE 'shadow:user:_%'
        ELSE false
    END);

-- Both parties are real, or both are shadows. That it is the right one of the two, the trigger below looks up.
ALTER TABLE "Transfer"
    DROP CONSTRAINT "Transfer_parties_fit_kind",
    ADD CONSTRAINT "Transfer_parties_fit_kind" CHECK (CASE "kind"
        WHEN 'fund' THEN "redPacketId" IS NULL AND "userId" IS NULL
            AND ("debitAccountId", "creditAccountId") IN (('operator', 'rain:' || "rainId"), ('shadow:operator', 'shadow:rain:' || "rainId"))
        WHEN 'credit' THEN "redPacketId" IS NOT NULL AND "userId" IS NOT NULL
            AND ("debitAccountId", "creditAccountId") IN (('rain:' || "rainId", 'user:' || "userId"), ('shadow:rain:' || "rainId", 'shadow:user:' || "userId"))
        WHEN 'recycle' THEN "userId" IS NULL
            AND ("debitAccountId", "creditAccountId") IN (('rain:' || "rainId", 'operator'), ('shadow:rain:' || "rainId", 'shadow:operator'))
        ELSE false
    END);

-- Money of a rehearsal never reaches a real account, and real money never a shadow. Looked up once per statement, however
-- many transfers it posts.
CREATE FUNCTION refuse_mixed_money() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM posted JOIN "Rain" ON "Rain"."id" = posted."rainId" WHERE "Rain"."rehearsal" <> starts_with(posted."debitAccountId", 'shadow:')) THEN
        RAISE EXCEPTION 'a rehearsal moves shadow money only, and every other rain real money only' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "Transfer_real_or_shadow" AFTER INSERT ON "Transfer" REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_mixed_money();

-- A wallet outside is asked to pay what is reserved for a user, see Reservation: of a rehearsal nothing ever is.
CREATE FUNCTION refuse_rehearsal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM reserved JOIN "Rain" ON "Rain"."id" = reserved."rainId" WHERE "Rain"."rehearsal" AND reserved."userId" IS NOT NULL) THEN
        RAISE EXCEPTION 'no wallet is asked to pay for a rehearsal' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER "Reservation_never_for_a_rehearsal" AFTER INSERT ON "Reservation" REFERENCING NEW TABLE AS reserved
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_rehearsal();

-- What was a rehearsal stays one: its shadows would be real money otherwise.
CREATE FUNCTION refuse_another_nature() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what a rain is, is decided when it is created' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "Rain_keeps_its_nature" BEFORE UPDATE ON "Rain"
    FOR EACH ROW WHEN (OLD."rehearsal" IS DISTINCT FROM NEW."rehearsal") EXECUTE FUNCTION refuse_another_nature();
