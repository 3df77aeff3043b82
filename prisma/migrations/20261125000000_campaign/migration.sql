-- CreateTable
CREATE TABLE "Campaign" (
    "id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "winsPerUserMax" INTEGER NOT NULL,
    "shards" INTEGER NOT NULL DEFAULT 1,
    "rollOver" BOOLEAN NOT NULL DEFAULT false,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Campaign_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "Campaign_id_shards_key" ON "Campaign"("id", "shards");

-- AlterTable
ALTER TABLE "Rain" ADD COLUMN "campaignId" TEXT,
ADD COLUMN "excludeEarlierWinners" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN "round" INTEGER;

-- CreateIndex
CREATE UNIQUE INDEX "Rain_campaignId_round_key" ON "Rain"("campaignId", "round");

-- AddForeignKey
ALTER TABLE "Rain" ADD CONSTRAINT "Rain_campaignId_shards_fkey" FOREIGN KEY ("campaignId", "shards") REFERENCES "Campaign"("id", "shards") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say.

ALTER TABLE "Campaign"
    ADD CONSTRAINT "Campaign_id_is_plain" CHECK ("id" ~ '^[A-Za-z0-9_-]{1,64}$'),
    ADD CONSTRAINT "Campaign_wins_1_to_100" CHECK ("winsPerUserMax" BETWEEN 1 AND 100),
    ADD CONSTRAINT "Campaign_shards_1_to_16" CHECK ("shards" BETWEEN 1 AND 16);

-- How often one may win is what players were told.
CREATE TRIGGER "Campaign_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "Campaign"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The id of a round tells its campaign: Redis finds the wins of a user by nothing else. A rehearsal is no round, since what is
-- won there would count as if it were real.
ALTER TABLE "Rain"
    ADD CONSTRAINT "Rain_id_names_its_round" CHECK (CASE
        WHEN "campaignId" IS NULL THEN "round" IS NULL AND NOT "excludeEarlierWinners" AND "id" NOT LIKE '%.%'
        ELSE "round" IS NOT NULL AND "round" BETWEEN 1 AND 999 AND "id" = "campaignId" || '.' || "round"
    END),
    ADD CONSTRAINT "Rain_rehearsal_is_no_round" CHECK (NOT ("rehearsal" AND "campaignId" IS NOT NULL));

DROP TRIGGER "Rain_keeps_its_nature" ON "Rain";
CREATE TRIGGER "Rain_keeps_its_nature" BEFORE UPDATE ON "Rain"
    FOR EACH ROW WHEN ((OLD."id", OLD."rehearsal", OLD."campaignId", OLD."round", OLD."excludeEarlierWinners", OLD."shards")
        IS DISTINCT FROM (NEW."id", NEW."rehearsal", NEW."campaignId", NEW."round", NEW."excludeEarlierWinners", NEW."shards"))
    EXECUTE FUNCTION refuse_another_nature();
