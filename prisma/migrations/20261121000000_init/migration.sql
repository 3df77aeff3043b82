-- CreateEnum
CREATE TYPE "AccountKind" AS ENUM ('operator', 'rain', 'user');

-- CreateEnum
CREATE TYPE "TransferKind" AS ENUM ('fund', 'credit', 'recycle');

-- CreateTable
CREATE TABLE "Rain" (
    "id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "budgetCents" BIGINT NOT NULL,
    "packets" INTEGER NOT NULL,
    "split" JSONB NOT NULL,
    "seed" TEXT NOT NULL,
    "shards" INTEGER NOT NULL DEFAULT 1,
    "opensAt" TIMESTAMPTZ(3) NOT NULL,
    "closesAt" TIMESTAMPTZ(3) NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "settledAt" TIMESTAMPTZ(3),

    CONSTRAINT "Rain_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Account" (
    "id" TEXT NOT NULL,
    "kind" "AccountKind" NOT NULL,
    "balanceCents" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "Account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "Transfer" (
    "id" TEXT NOT NULL,
    "kind" "TransferKind" NOT NULL,
    "debitAccountId" TEXT NOT NULL,
    "creditAccountId" TEXT NOT NULL,
    "amountCents" BIGINT NOT NULL,
    "rainId" TEXT NOT NULL,
    "redPacketId" TEXT,
    "userId" TEXT,
    "postedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Transfer_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "OperatorAction" (
    "id" BIGSERIAL NOT NULL,
    "actor" TEXT NOT NULL,
    "verb" TEXT NOT NULL,
    "rainId" TEXT,
    "details" JSONB NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "OperatorAction_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "Transfer_redPacketId_key" ON "Transfer"("redPacketId");

-- CreateIndex
CREATE INDEX "Transfer_creditAccountId_postedAt_idx" ON "Transfer"("creditAccountId", "postedAt");

-- CreateIndex
CREATE UNIQUE INDEX "Transfer_rainId_userId_key" ON "Transfer"("rainId", "userId");

-- CreateIndex
CREATE INDEX "OperatorAction_rainId_at_idx" ON "OperatorAction"("rainId", "at");

-- AddForeignKey
ALTER TABLE "Transfer" ADD CONSTRAINT "Transfer_debitAccountId_fkey" FOREIGN KEY ("debitAccountId") REFERENCES "Account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "Transfer" ADD CONSTRAINT "Transfer_creditAccountId_fkey" FOREIGN KEY ("creditAccountId") REFERENCES "Account"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "Transfer" ADD CONSTRAINT "Transfer_rainId_fkey" FOREIGN KEY ("rainId") REFERENCES "Rain"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say. The program checks all of it too; the database does so because it is the last
-- that is asked, and the only one that sees every process at once.

-- A rain has something to give away, somebody who decides about it, and a time in which it is given.
ALTER TABLE "Rain"
    ADD CONSTRAINT "Rain_budget_above_zero" CHECK ("budgetCents" > 0),
    ADD CONSTRAINT "Rain_packets_above_zero" CHECK ("packets" > 0),
    ADD CONSTRAINT "Rain_shards_1_to_16" CHECK ("shards" BETWEEN 1 AND 16),
    ADD CONSTRAINT "Rain_opens_before_it_closes" CHECK ("opensAt" < "closesAt");

-- Only the operator may be below zero: that is what he has given away. For a rain it means that it can never pay more than
-- it was funded with, whatever is claimed [R8]. The id carries the kind, so that nobody becomes an operator by his id.
ALTER TABLE "Account"
    ADD CONSTRAINT "Account_only_operator_below_zero" CHECK ("balanceCents" >= 0 OR "kind" = 'operator'),
    ADD CONSTRAINT "Account_id_names_its_kind" CHECK (CASE "kind"
        WHEN 'operator' THEN "id" = 'operator'
        WHEN 'rain' THEN "id" LIKE 'rain:_%'
        WHEN 'user' THEN "id" LIKE 'user:_%'
        ELSE false
    END);

-- A transfer moves something, from one account to another, and its kind says between whom. A CHECK that comes out NULL
-- counts as passed, hence the IS NOT NULLs first.
ALTER TABLE "Transfer"
    ADD CONSTRAINT "Transfer_amount_above_zero" CHECK ("amountCents" > 0),
    ADD CONSTRAINT "Transfer_debit_is_not_credit" CHECK ("debitAccountId" <> "creditAccountId"),
    ADD CONSTRAINT "Transfer_parties_fit_kind" CHECK (CASE "kind"
        WHEN 'fund' THEN "redPacketId" IS NULL AND "userId" IS NULL
            AND "debitAccountId" = 'operator' AND "creditAccountId" = 'rain:' || "rainId"
        WHEN 'credit' THEN "redPacketId" IS NOT NULL AND "userId" IS NOT NULL
            AND "debitAccountId" = 'rain:' || "rainId" AND "creditAccountId" = 'user:' || "userId"
        WHEN 'recycle' THEN "redPacketId" IS NULL AND "userId" IS NULL
            AND "debitAccountId" = 'rain:' || "rainId" AND "creditAccountId" = 'operator'
        ELSE false
    END);

-- With the primary key this is what makes a rain be funded once and recycled once, and a red packet be credited once [R5]:
-- the id is not chosen but follows from what is moved.
ALTER TABLE "Transfer"
    ADD CONSTRAINT "Transfer_id_names_what_it_moves" CHECK ("id" = CASE "kind"
        WHEN 'fund' THEN 'fund:' || "rainId"
        WHEN 'credit' THEN 'credit:' || "redPacketId"
        WHEN 'recycle' THEN 'recycle:' || "rainId"
    END);

-- What has been written stays written. A mistake is put right by another transfer, and both are seen.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "Transfer_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "Transfer"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER "OperatorAction_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "OperatorAction"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
