-- What follows Prisma's schema cannot say, but for the columns. Constraints and trigger name the old column, so they go first.
DROP TRIGGER "Rain_keeps_its_nature" ON "Rain";
ALTER TABLE "Rain" DROP CONSTRAINT "Rain_id_names_its_round";

-- AlterTable
ALTER TABLE "Rain" ADD COLUMN "terms" JSONB NOT NULL DEFAULT '{}';

UPDATE "Rain" SET "terms" = '{"excludeEarlierWinners": true}' WHERE "excludeEarlierWinners";

-- AlterTable
ALTER TABLE "Rain" DROP COLUMN "excludeEarlierWinners";

-- As before, with the term where it stands now: only a round has earlier winners.
ALTER TABLE "Rain"
    ADD CONSTRAINT "Rain_id_names_its_round" CHECK (CASE
        WHEN "campaignId" IS NULL THEN "round" IS NULL AND "terms" -> 'excludeEarlierWinners' IS NULL AND "id" NOT LIKE '%.%'
        ELSE "round" IS NOT NULL AND "round" BETWEEN 1 AND 999 AND "id" = "campaignId" || '.' || "round"
    END),
    ADD CONSTRAINT "Rain_terms_are_an_object" CHECK (jsonb_typeof("terms") = 'object'),
-- One truth for each: a rehearsal is one by its own column, and what follows from the campaign is not asked for.
    ADD CONSTRAINT "Rain_terms_stand_once" CHECK ("terms" -> 'rehearsal' IS NULL AND "terms" -> 'winsMax' IS NULL);

-- All terms are for good: they are what players were told.
CREATE TRIGGER "Rain_keeps_its_nature" BEFORE UPDATE ON "Rain"
    FOR EACH ROW WHEN ((OLD."id", OLD."rehearsal", OLD."campaignId", OLD."round", OLD."terms", OLD."shards")
        IS DISTINCT FROM (NEW."id", NEW."rehearsal", NEW."campaignId", NEW."round", NEW."terms", NEW."shards"))
    EXECUTE FUNCTION refuse_another_nature();
