-- Packets are allocated with the rain, before anything of it is won, or with a top-up that the same transaction has
-- written and paid in full. The role that creates rains could otherwise add a packet to somebody else's rain and be
-- credited with the money of the others.
CREATE FUNCTION refuse_unplanned() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    many CONSTANT integer := octet_length(NEW."amounts") / 8;
    planned "Portion"%ROWTYPE;
    fault text;
BEGIN
    IF NEW."ordinal" = 0 THEN
        IF NEW."firstPacket" <> 0 OR many IS DISTINCT FROM (SELECT "packets" FROM "Rain" WHERE "id" = NEW."rainId") THEN
            fault := 'the rain has another number of packets';
        ELSIF EXISTS (SELECT FROM "Transfer" WHERE "rainId" = NEW."rainId" AND "redPacketId" IS NOT NULL)
            OR EXISTS (SELECT FROM "Reservation" WHERE "rainId" = NEW."rainId") THEN
            fault := 'packets of the rain have been won';
        END IF;
    ELSE
        SELECT * INTO planned FROM "Portion"
            WHERE "rainId" = NEW."rainId" AND "ordinal" = NEW."ordinal" AND xmin = pg_current_xact_id()::xid;
        IF NOT FOUND OR planned."packets" <> many THEN
            fault := 'no top-up of the same transaction has as many packets';
        -- Rains from before packets were allocated have none before it, and are not guarded.
        ELSIF NEW."firstPacket" <>
            (SELECT max("firstPacket" + octet_length("amounts") / 8) FROM "Allocation"
                WHERE "rainId" = NEW."rainId" AND "ordinal" < NEW."ordinal") THEN
            fault := 'its packets do not follow those before it';
        ELSIF planned."budgetCents" IS DISTINCT FROM
            (SELECT sum(('x' || encode(substring(NEW."amounts" FROM i * 8 + 1 FOR 8), 'hex'))::bit(64)::bigint)
                FROM generate_series(0, many - 1) AS i) THEN
            fault := 'its amounts do not come to the budget of the top-up';
        ELSIF planned."budgetCents" IS DISTINCT FROM
            (SELECT sum("amountCents") FROM "Rain"
                JOIN generate_series(-1, "accounts" - 1) AS shard ON true
                JOIN "Transfer" ON "Transfer"."rainId" = NEW."rainId" AND "redPacketId" IS NULL AND "Transfer"."id" =
                    'fund:' || NEW."rainId" || '/' || NEW."ordinal" || CASE WHEN shard < 0 THEN '' ELSE '/' || shard END
                WHERE "Rain"."id" = NEW."rainId") THEN
            fault := 'the top-up is not paid';
        END IF;
    END IF;
    IF fault IS NOT NULL THEN
        RAISE EXCEPTION 'the packets % of the rain % are not planned: %', NEW."ordinal", NEW."rainId", fault
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;

DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION refuse_unplanned() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;

-- At the end of the transaction, whatever the order of its statements. No row that it reads can be taken back.
CREATE CONSTRAINT TRIGGER "Allocation_is_planned" AFTER INSERT ON "Allocation"
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse_unplanned();
