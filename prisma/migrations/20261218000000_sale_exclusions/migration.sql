-- Who is excluded from a campaign buys nothing in its sales, whatever Redis says. What was reserved before the exclusion stays: the time of a
-- reservation is Redis's, and Redis hears of an exclusion a moment later, so a minute is left between the clocks. In a sale that opened later
-- nothing was reserved before, so there the time that the reservation names does not count. The text names no user: it is kept with the refusal.
DO $$
DECLARE
    before TEXT := pg_get_functiondef('hold_limits()'::regprocedure);
    after TEXT;
BEGIN
    after := replace(before, '    IF EXISTS (SELECT FROM "Sale" WHERE "id" IN (SELECT "saleId" FROM placed) AND "campaignId" IS NOT NULL) THEN', $part$    IF EXISTS (SELECT FROM "Sale" JOIN "CampaignExclusion" USING ("campaignId") WHERE "id" IN (SELECT "saleId" FROM placed)) THEN
        SELECT placed."id", placed."reservedAt", named."campaignId", named."excludedAt" INTO wrong FROM placed JOIN "Sale" ON "Sale"."id" = placed."saleId"
        CROSS JOIN LATERAL (
            SELECT "campaignId", "excludedAt" FROM "CampaignExclusion" WHERE "campaignId" = "Sale"."campaignId" AND "userId" = placed."userId" OFFSET 0) AS named
        WHERE greatest(placed."reservedAt", "Sale"."opensAt") > named."excludedAt" + interval '1 minute' LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'the order % was reserved at %, and its buyer is excluded from the campaign % since %', wrong."id", wrong."reservedAt", wrong."campaignId", wrong."excludedAt" USING ERRCODE = '23R01';
        END IF;
    END IF;
    IF EXISTS (SELECT FROM "Sale" WHERE "id" IN (SELECT "saleId" FROM placed) AND "campaignId" IS NOT NULL) THEN$part$);
    IF position('"CampaignExclusion"' IN after) = 0 THEN
        RAISE EXCEPTION 'hold_limits() is not as this migration knows it';
    END IF;
    EXECUTE after;
END
$$;
