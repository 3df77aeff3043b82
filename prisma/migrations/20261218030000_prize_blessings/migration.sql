-- AlterTable
ALTER TABLE "Greeting" ADD COLUMN "prizes" JSONB NOT NULL DEFAULT '[]';

-- What follows Prisma's schema cannot say. Their form is checked before they are written.
ALTER TABLE "Greeting" ADD CONSTRAINT "Greeting_prizes" CHECK (jsonb_typeof("prizes") = 'array' AND jsonb_array_length("prizes") <= 8);
