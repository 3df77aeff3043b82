-- CreateTable
CREATE TABLE "Participant" (
    "number" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "department" TEXT,
    "userId" TEXT NOT NULL,
    "codeSalt" INTEGER NOT NULL,
    "codeKey" TEXT NOT NULL,
    "addedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "enteredAt" TIMESTAMPTZ(3),
    "removedAt" TIMESTAMPTZ(3),

    CONSTRAINT "Participant_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE UNIQUE INDEX "Participant_userId_key" ON "Participant"("userId");

-- CreateIndex
CREATE UNIQUE INDEX "Participant_codeKey_key" ON "Participant"("codeKey");

-- What follows Prisma's schema cannot say. A participant who has come in keeps the user id: with another one the same person could win
-- twice. Whoever is added again after a removal, under another name, is another person.
CREATE FUNCTION keep_entered_id() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF OLD."number" <> NEW."number"
        OR OLD."removedAt" IS NULL AND OLD."enteredAt" IS NOT NULL AND (OLD."userId" <> NEW."userId" OR NEW."enteredAt" IS NULL) THEN
        RAISE EXCEPTION 'a participant keeps the number, and the user id after coming in' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER "Participant_keeps_its_id" BEFORE UPDATE ON "Participant"
    FOR EACH ROW EXECUTE FUNCTION keep_entered_id();

-- An erasure takes the user off the list, with the name, also from what is recorded of earlier spellings of the name.
DO $$
DECLARE
    before TEXT := pg_get_functiondef('erase_user()'::regprocedure);
    after TEXT;
BEGIN
    after := replace(before, '    IF NEW."rows" = 0 THEN', $part$    UPDATE "OperatorAction" SET "details" = jsonb_set("details", '{userId}', to_jsonb(NEW."pseudonym"))
    FROM "Participant" WHERE "Participant"."userId" = who AND starts_with("details"->>'userId', 'participant-' || "number" || '/');
    DELETE FROM "Participant" WHERE "userId" = who;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;

    IF NEW."rows" = 0 THEN$part$);
    IF position('"Participant"' IN after) = 0 THEN
        RAISE EXCEPTION 'erase_user() is not as this migration knows it';
    END IF;
    EXECUTE after;
END
$$;
