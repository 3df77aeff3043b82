-- Sets the times of rains and sales to those that were recorded when an operator created or moved them. For a database
-- whose time zone is not UTC, in which an older version has stored them wrong by the offset. Run it once after the
-- upgrade, while no server runs. To repeat it is harmless. See docs/how-to/upgrade.md.
BEGIN;

CREATE TEMPORARY TABLE recorded ON COMMIT DROP AS
SELECT DISTINCT ON ("rainId") "rainId",
    ("details"->>'opensAt')::timestamptz AS "opensAt", ("details"->>'closesAt')::timestamptz AS "closesAt"
FROM "OperatorAction"
WHERE "verb" IN ('create', 'create-sale', 'start', 'schedule') AND "details" ? 'opensAt'
ORDER BY "rainId", "id" DESC;

UPDATE "Rain" SET "opensAt" = recorded."opensAt", "closesAt" = recorded."closesAt" FROM recorded
WHERE recorded."rainId" = "Rain"."id"
    AND ("Rain"."opensAt", "Rain"."closesAt") <> (recorded."opensAt", recorded."closesAt");

UPDATE "Sale" SET "opensAt" = recorded."opensAt", "closesAt" = recorded."closesAt" FROM recorded
WHERE recorded."rainId" = "Sale"."id"
    AND ("Sale"."opensAt", "Sale"."closesAt") <> (recorded."opensAt", recorded."closesAt");

COMMIT;
