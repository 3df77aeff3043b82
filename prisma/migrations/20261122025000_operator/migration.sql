-- CreateEnum
CREATE TYPE "OperatorRole" AS ENUM ('viewer', 'operator');

-- CreateTable
CREATE TABLE "Operator" (
    "name" TEXT NOT NULL,
    "role" "OperatorRole" NOT NULL,
    "passwordHash" TEXT NOT NULL,
    "epoch" INTEGER NOT NULL DEFAULT 1,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabledAt" TIMESTAMPTZ(3),

    CONSTRAINT "Operator_pkey" PRIMARY KEY ("name")
);

-- CreateTable
CREATE TABLE "OperatorToken" (
    "hash" TEXT NOT NULL,
    "operatorName" TEXT NOT NULL,
    "label" TEXT NOT NULL,
    "createdAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expiresAt" TIMESTAMPTZ(3),
    "revokedAt" TIMESTAMPTZ(3),

    CONSTRAINT "OperatorToken_pkey" PRIMARY KEY ("hash")
);

-- CreateIndex
CREATE INDEX "OperatorToken_operatorName_idx" ON "OperatorToken"("operatorName");

-- AddForeignKey
ALTER TABLE "OperatorToken" ADD CONSTRAINT "OperatorToken_operatorName_fkey" FOREIGN KEY ("operatorName") REFERENCES "Operator"("name") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say.

-- A name can be typed, stands in records and in addresses; neither a password nor a token is ever stored as itself.
ALTER TABLE "Operator"
    ADD CONSTRAINT "Operator_name_can_be_typed" CHECK ("name" ~ '^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$'),
    ADD CONSTRAINT "Operator_password_is_hashed" CHECK ("passwordHash" LIKE 'scrypt$%$%$%$%$%');
ALTER TABLE "OperatorToken"
    ADD CONSTRAINT "OperatorToken_is_hashed" CHECK ("hash" ~ '^[0-9a-f]{64}$');
