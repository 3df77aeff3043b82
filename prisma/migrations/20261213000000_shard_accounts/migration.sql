-- AlterTable
ALTER TABLE "Rain" ADD COLUMN "accounts" INTEGER NOT NULL DEFAULT 1;

-- What follows Prisma's schema cannot say. A rain of several shards has an account for each, so that batches of one shard do not wait for
-- those of another. The money of a packet is in the account of the shard that it was planned for, wherever it was won: an account is
-- funded with exactly its packets, so none can go below zero, and no money ever moves between them.

-- Rains from before have one account, whatever the number of their shards, and keep it.
ALTER TABLE "Rain" ADD CONSTRAINT "Rain_accounts_1_or_one_a_shard" CHECK ("accounts" = 1 OR "accounts" = "shards") NOT VALID;

CREATE FUNCTION refuse_other_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the accounts of a rain are decided when it is created' USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER "Rain_keeps_its_accounts" BEFORE UPDATE ON "Rain"
    FOR EACH ROW WHEN (OLD."accounts" IS DISTINCT FROM NEW."accounts") EXECUTE FUNCTION refuse_other_accounts();

-- The account that holds the money of a packet. A rain of several accounts knows its packets, so what is no packet of it is refused by
-- its allocation, whatever account it names.
CREATE FUNCTION packet_account(rain_id TEXT, rehearsal BOOLEAN, accounts INTEGER, packet TEXT) RETURNS TEXT LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN rehearsal THEN 'shadow:rain:' ELSE 'rain:' END || rain_id
        || CASE WHEN accounts = 1 THEN '' ELSE '/' || (coalesce(substring(substr(packet, length(rain_id) + 2) FROM '^(?:0|[1-9][0-9]{0,7})$'), '0')::integer % accounts)::text END
$$;

-- As before, and `rain:<rainId>/<shard>` is an account of a rain, too. They are validated by the next migration: credits go on meanwhile.
ALTER TABLE "Transfer"
    DROP CONSTRAINT "Transfer_parties_fit_kind",
    DROP CONSTRAINT "Transfer_id_names_what_it_moves",
    ADD CONSTRAINT "Transfer_parties_fit_kind" CHECK (CASE "kind"
        WHEN 'fund' THEN "redPacketId" IS NULL AND "userId" IS NULL AND "creditAccountId" ~ '^[^/]*(/([0-9]|1[0-5]))?$'
            AND ("debitAccountId", split_part("creditAccountId", '/', 1)) IN (('operator', 'rain:' || "rainId"), ('shadow:operator', 'shadow:rain:' || "rainId"))
        WHEN 'credit' THEN "redPacketId" IS NOT NULL AND "userId" IS NOT NULL AND "debitAccountId" ~ '^[^/]*(/([0-9]|1[0-5]))?$'
            AND (split_part("debitAccountId", '/', 1), "creditAccountId") IN (('rain:' || "rainId", 'user:' || "userId"), ('shadow:rain:' || "rainId", 'shadow:user:' || "userId"))
        WHEN 'recycle' THEN "userId" IS NULL AND "debitAccountId" ~ '^[^/]*(/([0-9]|1[0-5]))?$'
            AND (split_part("debitAccountId", '/', 1), "creditAccountId") IN (('rain:' || "rainId", 'operator'), ('shadow:rain:' || "rainId", 'shadow:operator'))
        ELSE false
    END) NOT VALID,
    ADD CONSTRAINT "Transfer_id_names_what_it_moves" CHECK (CASE
        WHEN "kind" = 'fund' AND position('/' IN "creditAccountId") > 0 THEN split_part("id", '/', 2) ~ '^(0|[1-9]|[12][0-9]|3[0-2])$'
            AND "id" = 'fund:' || "rainId" || '/' || split_part("id", '/', 2) || '/' || split_part("creditAccountId", '/', 2)
        WHEN "kind" = 'fund' THEN "id" = 'fund:' || "rainId"
            OR (starts_with("id", 'fund:' || "rainId" || '/') AND substr("id", char_length("rainId") + 7) ~ '^([1-9]|[12][0-9]|3[0-2])$')
        WHEN "kind" = 'credit' THEN "id" = 'credit:' || "redPacketId"
        WHEN "kind" = 'recycle' AND "redPacketId" IS NULL THEN "id" = 'recycle:' || "rainId" || substr("debitAccountId", char_length(split_part("debitAccountId", '/', 1)) + 1)
        WHEN "kind" = 'recycle' THEN "id" = 'discard:' || "redPacketId"
        ELSE false
    END) NOT VALID;

-- Once per statement, however many transfers it posts: test money stays test money, and money leaves the account of its packet. The second
-- error is one that is tried again: a worker of an older version, which knows one account only, waits to be restarted instead of
-- giving up its claims.
CREATE OR REPLACE FUNCTION refuse_mixed_money() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wrong RECORD;
BEGIN
    SELECT posted."id", held."account", rain."rehearsal" <> starts_with(posted."debitAccountId", 'shadow:') AS "mixed" INTO wrong
    FROM posted JOIN "Rain" AS rain ON rain."id" = posted."rainId"
    CROSS JOIN LATERAL (SELECT CASE posted."kind" WHEN 'fund' THEN posted."creditAccountId" ELSE posted."debitAccountId" END AS "account") AS held
    WHERE rain."rehearsal" <> starts_with(posted."debitAccountId", 'shadow:')
        OR CASE WHEN rain."accounts" = 1 OR posted."redPacketId" IS NOT NULL THEN held."account" <> packet_account(rain."id", rain."rehearsal", rain."accounts", posted."redPacketId")
            ELSE held."account" NOT IN (SELECT packet_account(rain."id", rain."rehearsal", 1, NULL) || '/' || shard FROM generate_series(0, rain."accounts" - 1) AS shard) END
    ORDER BY 3 DESC LIMIT 1;
    IF wrong."mixed" THEN
        RAISE EXCEPTION 'a rehearsal moves shadow money only, and every other rain real money only' USING ERRCODE = 'check_violation';
    ELSIF FOUND THEN
        RAISE EXCEPTION 'the money of % is not in the account %', wrong."id", wrong."account" USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;

-- Replaced functions lose their settings.
DO $$
BEGIN
    EXECUTE format('ALTER FUNCTION refuse_mixed_money() SET search_path = pg_catalog, %I, pg_temp', current_schema());
END
$$;
