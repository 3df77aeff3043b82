-- CreateTable
CREATE TABLE "StoreEpoch" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "storeId" UUID NOT NULL,
    "counter" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "StoreEpoch_pkey" PRIMARY KEY ("id")
);

-- What follows Prisma's schema cannot say.

ALTER TABLE "StoreEpoch" ADD CONSTRAINT "StoreEpoch_has_one_row" CHECK ("id" = 1);

-- gen_random_uuid() is not in PostgreSQL 12.
INSERT INTO "StoreEpoch" ("storeId") VALUES (md5(random()::text || clock_timestamp()::text)::uuid);

-- A counter that is smaller than before means that an older state of the database was restored. Nothing else may make it so.
CREATE FUNCTION refuse_earlier_epoch() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the epoch of this database only grows' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "StoreEpoch_only_grows" BEFORE UPDATE ON "StoreEpoch"
    FOR EACH ROW WHEN (NEW."counter" <= OLD."counter" OR NEW."storeId" <> OLD."storeId") EXECUTE FUNCTION refuse_earlier_epoch();

CREATE TRIGGER "StoreEpoch_stays" BEFORE DELETE OR TRUNCATE ON "StoreEpoch"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_earlier_epoch();
