import type { Database } from './database.ts';

/** The most unsettled rains and sales that are looked through [R10]. */
const LOOKED_THROUGH_MAX = 10_000;

interface Row {
  id: string;
  opensAt: Date;
  closesAt: Date;
  /** As the last action says that gave it a window. */
  opens: string;
  closes: string | null;
}

/**
 * Ids of rains and sales that are not settled and whose times differ from those recorded last: a version that stored
 * times wrong has booked them, or somebody has changed them by hand.
 */
export async function movedWindows(database: Database): Promise<string[]> {
  const rows = await database.$queryRaw<Row[]>`
    SELECT planned.*, "details"->>'opensAt' AS "opens", "details"->>'closesAt' AS "closes"
    FROM (
      SELECT "id", "opensAt", "closesAt" FROM "Rain" WHERE "settledAt" IS NULL
      UNION ALL SELECT "id", "opensAt", "closesAt" FROM "Sale" WHERE "settledAt" IS NULL) AS planned
    JOIN LATERAL (
      SELECT "details" FROM "OperatorAction"
      WHERE "rainId" = planned."id" AND "details" ? 'opensAt'
        AND "verb" IN ('create', 'create-sale', 'start', 'schedule')
      ORDER BY "OperatorAction"."id" DESC LIMIT 1) AS recorded ON true
    ORDER BY planned."id" LIMIT ${LOOKED_THROUGH_MAX}`;
  const moved = rows.filter(({ opensAt, closesAt, opens, closes }) => !isAt(opensAt, opens) || !isAt(closesAt, closes));
  return moved.map(({ id }) => id);
}

function isAt(moment: Date, recorded: string | null): boolean {
  return recorded !== null && moment.getTime() === Date.parse(recorded);
}
