-- AlterTable
ALTER TABLE "Operator" ADD COLUMN "totpSecret" TEXT,
ADD COLUMN "totpStep" INTEGER;

-- AlterTable
ALTER TABLE "OperatorToken" ADD COLUMN "lastUsedAt" TIMESTAMPTZ(3),
ADD COLUMN "lastUsedFrom" TEXT;

-- CreateTable
CREATE TABLE "RecoveryCode" (
    "hash" TEXT NOT NULL,
    "operatorName" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "endedAt" TIMESTAMPTZ(3),

    CONSTRAINT "RecoveryCode_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "RecoveryCode_operatorName_idx" ON "RecoveryCode"("operatorName");

-- AddForeignKey
ALTER TABLE "RecoveryCode" ADD CONSTRAINT "RecoveryCode_operatorName_fkey" FOREIGN KEY ("operatorName") REFERENCES "Operator"("name") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say.

-- Every token has an end. Those made without one keep working for as long as a new one would by default.
UPDATE "OperatorToken" SET "expiresAt" = CURRENT_TIMESTAMP + INTERVAL '90 days' WHERE "expiresAt" IS NULL;
ALTER TABLE "OperatorToken" ALTER COLUMN "expiresAt" SET NOT NULL;

-- Neither a secret of one-time codes nor a recovery code is ever stored as itself.
ALTER TABLE "Operator"
    ADD CONSTRAINT "Operator_totp_is_whole" CHECK (("totpSecret" IS NULL) = ("totpStep" IS NULL)),
    ADD CONSTRAINT "Operator_totp_is_sealed" CHECK (length("totpSecret") >= 80);
ALTER TABLE "RecoveryCode"
    ADD CONSTRAINT "RecoveryCode_is_hashed" CHECK ("hash" ~ '^[A-Za-z0-9_-]{43}$');

-- A verb that moves much money, and waits for a second operator.
CREATE TABLE "Approval" (
    "id" TEXT NOT NULL,
    "verb" TEXT NOT NULL,
    "rainId" TEXT NOT NULL,
    "request" JSONB NOT NULL,
    "amountCents" BIGINT NOT NULL,
    "askedBy" TEXT NOT NULL,
    "askedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3) NOT NULL,
    "decidedBy" TEXT,
    "decidedAt" TIMESTAMPTZ(3),
    "isApproved" BOOLEAN,
    "carriedOutAt" TIMESTAMPTZ(3),

    CONSTRAINT "Approval_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "Approval_is_decided_whole" CHECK (("decidedBy" IS NULL) = ("decidedAt" IS NULL) AND ("decidedBy" IS NULL) = ("isApproved" IS NULL)),
    -- `console:ann` and `cli:ann` are one person.
    CONSTRAINT "Approval_has_two_people" CHECK (regexp_replace("decidedBy", '^[^:]*:', '') <> regexp_replace("askedBy", '^[^:]*:', '')),
    CONSTRAINT "Approval_is_approved_first" CHECK ("carriedOutAt" IS NULL OR "isApproved" IS TRUE)
);

-- CreateIndex
CREATE INDEX "Approval_askedAt_idx" ON "Approval"("askedAt");
