-- AlterTable
ALTER TABLE "SaleItem" ADD COLUMN "description" TEXT;

-- CreateTable
CREATE TABLE "ItemPicture" (
    "sha256" TEXT NOT NULL,
    "bytes" BYTEA NOT NULL,
    "keptAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ItemPicture_pkey" PRIMARY KEY ("sha256")
);

-- What follows Prisma's schema cannot say. A picture is known by its content, as a file of a theme.
ALTER TABLE "ItemPicture"
    ADD CONSTRAINT "ItemPicture_sha256" CHECK ("sha256" = encode(sha256("bytes"), 'hex')),
    ADD CONSTRAINT "ItemPicture_size" CHECK (octet_length("bytes") BETWEEN 1 AND 262144);
-- Pictures are compressed already.
ALTER TABLE "ItemPicture" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
