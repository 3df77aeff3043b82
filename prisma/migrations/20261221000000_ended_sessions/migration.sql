-- Sessions are kept in Redis. One that has ended is named here, or whoever can write to Redis could put it back.
-- AlterTable
ALTER TABLE "Operator" ADD COLUMN "endedSessions" TEXT[] DEFAULT ARRAY[]::TEXT[];
