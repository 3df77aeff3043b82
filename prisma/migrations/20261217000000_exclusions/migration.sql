-- CreateTable
CREATE TABLE "CampaignExclusion" (
    "campaignId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "source" TEXT,
    "excludedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "CampaignExclusion_pkey" PRIMARY KEY ("campaignId","userId")
);

-- CreateIndex
CREATE INDEX "CampaignExclusion_userId_idx" ON "CampaignExclusion"("userId");

-- AddForeignKey
ALTER TABLE "CampaignExclusion" ADD CONSTRAINT "CampaignExclusion_campaignId_fkey" FOREIGN KEY ("campaignId") REFERENCES "Campaign"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say. An erasure forgets that the user was excluded, but not while a round may be played: Redis knows
-- the user by the id until then.
DO $$
DECLARE
    before TEXT := pg_get_functiondef('erase_user()'::regprocedure);
    after TEXT;
BEGIN
    after := replace(before, '    IF NEW."rows" = 0 THEN', $part$    DELETE FROM "CampaignExclusion" WHERE "userId" = who;
    GET DIAGNOSTICS changed = ROW_COUNT;
    NEW."rows" := NEW."rows" + changed;

    IF NEW."rows" = 0 THEN$part$);
    IF position('"CampaignExclusion"' IN after) = 0 THEN
        RAISE EXCEPTION 'erase_user() is not as this migration knows it';
    END IF;
    EXECUTE after;

    before := pg_get_functiondef('takes_part_in(text)'::regprocedure);
    after := replace(before, 'UNION SELECT "campaignId" FROM "Sale" JOIN sales', 'UNION SELECT "campaignId" FROM "CampaignExclusion" WHERE "userId" = who UNION SELECT "campaignId" FROM "Sale" JOIN sales');
    IF position('"CampaignExclusion"' IN after) = 0 THEN
        RAISE EXCEPTION 'takes_part_in() is not as this migration knows it';
    END IF;
    EXECUTE after;
END
$$;
