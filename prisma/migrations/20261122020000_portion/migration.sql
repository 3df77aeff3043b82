-- AlterTable
ALTER TABLE "Rain" ADD COLUMN "sealedAt" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "Portion" (
    "id" TEXT NOT NULL,
    "rainId" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "budgetCents" BIGINT NOT NULL,
    "packets" INTEGER NOT NULL,
    "split" JSONB NOT NULL,
    "seed" TEXT NOT NULL,
    "commitment" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Portion_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "Portion_rainId_ordinal_key" ON "Portion"("rainId", "ordinal");

-- AddForeignKey
ALTER TABLE "Portion" ADD CONSTRAINT "Portion_rainId_fkey" FOREIGN KEY ("rainId") REFERENCES "Rain"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say.

-- A portion has something to give away, and there is an end to them.
ALTER TABLE "Portion"
    ADD CONSTRAINT "Portion_budget_above_zero" CHECK ("budgetCents" > 0),
    ADD CONSTRAINT "Portion_packets_above_zero" CHECK ("packets" > 0),
    ADD CONSTRAINT "Portion_ordinal_1_to_32" CHECK ("ordinal" BETWEEN 1 AND 32),
    ADD CONSTRAINT "Portion_id_1_to_128" CHECK (char_length("id") BETWEEN 1 AND 128);

-- What was promised to players stays as it was promised.
CREATE TRIGGER "Portion_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "Portion"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- A rain is funded once at its creation, and once for each portion: the id still follows from what is moved. No rain's id holds
-- a slash, so that no two rains share one.
ALTER TABLE "Transfer"
    DROP CONSTRAINT "Transfer_id_names_what_it_moves",
    ADD CONSTRAINT "Transfer_id_names_what_it_moves" CHECK (CASE
        WHEN "kind" = 'fund' THEN "id" = 'fund:' || "rainId"
            OR (starts_with("id", 'fund:' || "rainId" || '/') AND substr("id", char_length("rainId") + 7) ~ '^([1-9]|[12][0-9]|3[0-2])$')
        WHEN "kind" = 'credit' THEN "id" = 'credit:' || "redPacketId"
        WHEN "kind" = 'recycle' AND "redPacketId" IS NULL THEN "id" = 'recycle:' || "rainId"
        WHEN "kind" = 'recycle' THEN "id" = 'discard:' || "redPacketId"
        ELSE false
    END);
