-- CreateTable
CREATE TABLE "Theme" (
    "id" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "colours" JSONB NOT NULL DEFAULT '{}',
    "isDefault" BOOLEAN NOT NULL DEFAULT false,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Theme_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "ThemeFile" (
    "themeId" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "bytes" BYTEA NOT NULL,
    "sha256" TEXT NOT NULL,

    CONSTRAINT "ThemeFile_pkey" PRIMARY KEY ("themeId","kind")
);

-- CreateTable
CREATE TABLE "Greeting" (
    "rainId" TEXT NOT NULL,
    "sender" TEXT,
    "blessing" TEXT,
    "themeId" TEXT,
    "changedAt" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "Greeting_pkey" PRIMARY KEY ("rainId")
);

-- CreateIndex
CREATE UNIQUE INDEX "Theme_isDefault_key" ON "Theme"("isDefault") WHERE "isDefault";

-- CreateIndex
CREATE INDEX "ThemeFile_sha256_idx" ON "ThemeFile"("sha256");

-- CreateIndex
CREATE INDEX "Greeting_themeId_idx" ON "Greeting"("themeId");

-- AddForeignKey
ALTER TABLE "ThemeFile" ADD CONSTRAINT "ThemeFile_themeId_fkey" FOREIGN KEY ("themeId") REFERENCES "Theme"("id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "Greeting" ADD CONSTRAINT "Greeting_rainId_fkey" FOREIGN KEY ("rainId") REFERENCES "Rain"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "Greeting" ADD CONSTRAINT "Greeting_themeId_fkey" FOREIGN KEY ("themeId") REFERENCES "Theme"("id") ON DELETE SET NULL ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say. A file is known by its content: an address that a phone has kept shows the same file for ever.
ALTER TABLE "ThemeFile"
    ADD CONSTRAINT "ThemeFile_kind" CHECK ("kind" IN ('logo', 'sponsor', 'packet', 'background', 'music')),
    ADD CONSTRAINT "ThemeFile_sha256" CHECK ("sha256" = encode(sha256("bytes"), 'hex')),
    ADD CONSTRAINT "ThemeFile_size" CHECK (octet_length("bytes") BETWEEN 1 AND 4194304);
-- Pictures and music are compressed already.
ALTER TABLE "ThemeFile" ALTER COLUMN "bytes" SET STORAGE EXTERNAL;
