import type { Share } from '../rain/equation.ts';
import type { Cents } from '../rain/money.ts';
import type { Database } from './database.ts';

/** The figures of a rain in a list. Sums of money follow from the accounts; only the audit counts the transfers again. */
export interface RainFigures {
  credited: Share;
  /** Unclaimed money, and that of discarded claims. */
  recycledCents: Cents;
  /** The record says that it was loaded. */
  wasLoaded: boolean;
}

type Row = { id: string; credited: bigint; creditedCents: Cents; recycledCents: Cents; wasLoaded: boolean };

/**
 * The figures of these rains, of a rain that the ledger does not have, too. One statement; it reads the transfers of
 * rains that are not settled, and of the others a few rows each.
 */
export async function rainFigures(database: Database, ids: readonly string[]): Promise<Map<string, RainFigures>> {
  if (ids.length === 0) return new Map();
  const rows = await database.$queryRaw<Row[]>`
    SELECT known."id",
      coalesce(rain."credited", (SELECT count(*) FROM "Transfer" WHERE "rainId" = known."id" AND "userId" IS NOT NULL)) AS "credited",
      coalesce(rain."budgetCents" - held."cents" - back."cents", 0)::bigint AS "creditedCents", back."cents" AS "recycledCents",
      EXISTS (SELECT FROM "OperatorAction" WHERE "rainId" = known."id" AND "verb" = 'load') AS "wasLoaded"
    FROM unnest(${[...ids]}::text[]) AS known ("id") LEFT JOIN "Rain" AS rain USING ("id")
    CROSS JOIN LATERAL (
      SELECT coalesce(sum("balanceCents"), 0) AS "cents" FROM generate_series(0, rain."accounts" - 1) AS shard
      JOIN "Account" AS account ON account."id" = packet_account(rain."id", rain."rehearsal", rain."accounts", rain."id" || '-' || shard)
    ) AS held
    CROSS JOIN LATERAL (
      SELECT (
        (SELECT coalesce(sum("amountCents"), 0) FROM generate_series(0, rain."accounts" - 1) AS shard
          JOIN "Transfer" AS transfer ON transfer."redPacketId" IS NULL
          AND transfer."id" = 'recycle:' || rain."id" || CASE WHEN rain."accounts" > 1 THEN '/' || shard ELSE '' END)
        + (SELECT coalesce(sum("amountCents"), 0) FROM "Discard" WHERE "rainId" = rain."id"))::bigint AS "cents"
    ) AS back`;
  return new Map(
    rows.map(({ id, credited, creditedCents, recycledCents, wasLoaded }) => [
      id,
      { credited: { count: Number(credited), cents: creditedCents }, recycledCents, wasLoaded },
    ]),
  );
}
