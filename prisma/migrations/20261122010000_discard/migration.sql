-- CreateTable
CREATE TABLE "Discard" (
    "letterId" TEXT NOT NULL,
    "rainId" TEXT NOT NULL,
    "entry" TEXT NOT NULL,
    "deadReason" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "actor" TEXT NOT NULL,
    "redPacketId" TEXT,
    "amountCents" BIGINT,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Discard_pkey" PRIMARY KEY ("letterId")
);

-- CreateIndex
CREATE UNIQUE INDEX "Discard_redPacketId_key" ON "Discard"("redPacketId");

-- CreateIndex
CREATE INDEX "Discard_rainId_letterId_idx" ON "Discard"("rainId", "letterId");

-- A discarded packet is kept for nobody, so that no wallet is asked to pay what has gone back.
ALTER TABLE "Reservation" ALTER COLUMN "userId" DROP NOT NULL;

-- What follows Prisma's schema cannot say.

-- A discard that names a packet has moved its money, one that names none has moved nothing. Nobody discards without a word.
ALTER TABLE "Discard"
    ADD CONSTRAINT "Discard_packet_and_amount_go_together" CHECK (("redPacketId" IS NULL) = ("amountCents" IS NULL)),
    ADD CONSTRAINT "Discard_amount_above_zero" CHECK ("amountCents" > 0),
    ADD CONSTRAINT "Discard_reason_1_to_500" CHECK (char_length("reason") BETWEEN 1 AND 500);

CREATE TRIGGER "Discard_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "Discard"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Money of a discarded claim goes back packet by packet. Such a transfer carries its redPacketId, and that is the point: the
-- unique key on it makes credit and discard of one packet exclude each other for ever, whoever comes first [R5].
ALTER TABLE "Transfer"
    DROP CONSTRAINT "Transfer_parties_fit_kind",
    DROP CONSTRAINT "Transfer_id_names_what_it_moves",
    ADD CONSTRAINT "Transfer_parties_fit_kind" CHECK (CASE "kind"
        WHEN 'fund' THEN "redPacketId" IS NULL AND "userId" IS NULL
            AND "debitAccountId" = 'operator' AND "creditAccountId" = 'rain:' || "rainId"
        WHEN 'credit' THEN "redPacketId" IS NOT NULL AND "userId" IS NOT NULL
            AND "debitAccountId" = 'rain:' || "rainId" AND "creditAccountId" = 'user:' || "userId"
        WHEN 'recycle' THEN "userId" IS NULL
            AND "debitAccountId" = 'rain:' || "rainId" AND "creditAccountId" = 'operator'
        ELSE false
    END),
    ADD CONSTRAINT "Transfer_id_names_what_it_moves" CHECK ("id" = CASE
        WHEN "kind" = 'fund' THEN 'fund:' || "rainId"
        WHEN "kind" = 'credit' THEN 'credit:' || "redPacketId"
        WHEN "kind" = 'recycle' AND "redPacketId" IS NULL THEN 'recycle:' || "rainId"
        WHEN "kind" = 'recycle' THEN 'discard:' || "redPacketId"
    END);
