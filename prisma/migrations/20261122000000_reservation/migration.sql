-- CreateTable
CREATE TABLE "Reservation" (
    "redPacketId" TEXT NOT NULL,
    "rainId" TEXT NOT NULL,
    "userId" TEXT NOT NULL,
    "amountCents" BIGINT NOT NULL,
    "reservedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Reservation_pkey" PRIMARY KEY ("redPacketId")
);

-- CreateTable
CREATE TABLE "ReservedBudget" (
    "rainId" TEXT NOT NULL,
    "budgetCents" BIGINT NOT NULL,
    "reservedCents" BIGINT NOT NULL,

    CONSTRAINT "ReservedBudget_pkey" PRIMARY KEY ("rainId")
);

-- CreateIndex
CREATE UNIQUE INDEX "Reservation_rainId_userId_key" ON "Reservation"("rainId", "userId");

-- AddForeignKey
ALTER TABLE "Reservation" ADD CONSTRAINT "Reservation_rainId_fkey" FOREIGN KEY ("rainId") REFERENCES "Rain"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "ReservedBudget" ADD CONSTRAINT "ReservedBudget_rainId_fkey" FOREIGN KEY ("rainId") REFERENCES "Rain"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say.

ALTER TABLE "Reservation" ADD CONSTRAINT "Reservation_amount_above_zero" CHECK ("amountCents" > 0);

-- A wallet outside cannot be told to give back. So this is checked before it is asked, as the rain's own account is before a
-- credit: whatever the claims say, never more than the budget leaves the house [R8].
ALTER TABLE "ReservedBudget" ADD CONSTRAINT "ReservedBudget_within_budget" CHECK ("reservedCents" BETWEEN 0 AND "budgetCents");

-- What has been reserved may have been paid at any time since.
CREATE TRIGGER "Reservation_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "Reservation"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
