-- CreateTable
CREATE TABLE "Allocation" (
    "rainId" TEXT NOT NULL,
    "ordinal" INTEGER NOT NULL,
    "firstPacket" INTEGER NOT NULL,
    "amounts" BYTEA NOT NULL,

    CONSTRAINT "Allocation_pkey" PRIMARY KEY ("rainId", "ordinal")
);

-- AddForeignKey
ALTER TABLE "Allocation" ADD CONSTRAINT "Allocation_rainId_fkey" FOREIGN KEY ("rainId") REFERENCES "Rain"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- What follows Prisma's schema cannot say: money of a packet moves only if the packet was allocated, with exactly this amount.

-- Not compressed, so that one amount is read without reading all of them.
ALTER TABLE "Allocation" ALTER COLUMN "amounts" SET STORAGE EXTERNAL;

ALTER TABLE "Allocation"
    ADD CONSTRAINT "Allocation_ordinal_0_to_32" CHECK ("ordinal" BETWEEN 0 AND 32),
    ADD CONSTRAINT "Allocation_first_packet_not_below_zero" CHECK ("firstPacket" >= 0),
    ADD CONSTRAINT "Allocation_8_bytes_a_packet" CHECK (octet_length("amounts") > 0 AND octet_length("amounts") % 8 = 0);

CREATE TRIGGER "Allocation_is_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "Allocation"
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- The index of the packet is in its id. Rains from before this migration have no allocation. Nobody can take one away, and whoever may
-- not create rains cannot add one.
CREATE FUNCTION refuse_unallocated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    outside RECORD;
BEGIN
    WITH named AS MATERIALIZED (
        SELECT "rainId", "redPacketId", "amountCents",
            CASE WHEN left("redPacketId", length("rainId") + 1) = "rainId" || '-' AND substr("redPacketId", length("rainId") + 2) ~ '^(0|[1-9][0-9]{0,7})$'
                THEN substr("redPacketId", length("rainId") + 2)::integer END AS "packet"
        FROM posted WHERE "redPacketId" IS NOT NULL
    ), part AS MATERIALIZED (
        -- What was won together lies close together: its amounts are read at once.
        SELECT "rainId", span."first", substring("amounts" FROM (span."first" - "firstPacket") * 8 + 1 FOR (span."last" - span."first" + 1) * 8) AS "amounts"
        FROM "Allocation" JOIN (SELECT "rainId", min("packet") AS "lowest", max("packet") AS "highest" FROM named GROUP BY "rainId") AS asked USING ("rainId")
        CROSS JOIN LATERAL (SELECT greatest("lowest", "firstPacket") AS "first", least("highest", "firstPacket" + octet_length("amounts") / 8 - 1) AS "last") AS span
        WHERE span."first" <= span."last"
    )
    SELECT named."redPacketId", named."amountCents" INTO outside FROM named
    LEFT JOIN part ON part."rainId" = named."rainId" AND named."packet" >= part."first" AND named."packet" < part."first" + octet_length(part."amounts") / 8
    WHERE ('x' || encode(substring(part."amounts" FROM (named."packet" - part."first") * 8 + 1 FOR 8), 'hex'))::bit(64)::bigint IS DISTINCT FROM named."amountCents"
        AND EXISTS (SELECT FROM "Allocation" AS created WHERE created."rainId" = named."rainId" AND created."ordinal" = 0)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the packet % was not allocated with % cents', outside."redPacketId", outside."amountCents" USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION refuse_unallocated() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

CREATE TRIGGER "Transfer_is_allocated" AFTER INSERT ON "Transfer" REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unallocated();

CREATE TRIGGER "Reservation_is_allocated" AFTER INSERT ON "Reservation" REFERENCING NEW TABLE AS posted
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_unallocated();
