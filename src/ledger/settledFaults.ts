import type { Database } from './database.ts';

/** Rains per statement: their transfers are summed by the index of the rain. */
const PAGE = 100;

type Compared = { id: string; title: string; isFaulty: boolean };

/**
 * Settled rains whose money did not all go somewhere: funded is not what was budgeted, transfers or accounts do not
 * come to zero.
 * @returns the first `limit`, ordered by id
 */
export async function settledFaults(
  database: Database,
  limit: number,
  page = PAGE,
): Promise<Pick<Compared, 'id' | 'title'>[]> {
  const faults: Compared[] = [];
  for (
    let compared = await compare(database, '', page);
    compared.length > 0;
    compared = await compare(database, compared.at(-1)!.id, page)
  ) {
    faults.push(...compared.filter(({ isFaulty }) => isFaulty));
    if (faults.length >= limit) break;
  }
  return faults.slice(0, limit).map(({ id, title }) => ({ id, title }));
}

function compare(database: Database, after: string, limit: number): Promise<Compared[]> {
  return database.$queryRaw`
    SELECT rain."id", rain."title", (held."isEmpty" IS DISTINCT FROM true OR moved."funded" <> rain."budgetCents" OR moved."left" <> 0) AS "isFaulty"
    FROM (SELECT * FROM "Rain" WHERE "settledAt" IS NOT NULL AND "id" > ${after} ORDER BY "id" LIMIT ${limit}) AS rain
    CROSS JOIN LATERAL (
      SELECT bool_and(account."balanceCents" = 0) AS "isEmpty" FROM generate_series(0, rain."accounts" - 1) AS shard
      JOIN "Account" AS account ON account."id" = packet_account(rain."id", rain."rehearsal", rain."accounts", rain."id" || '-' || shard)
    ) AS held
    CROSS JOIN LATERAL (
      SELECT coalesce(sum("amountCents") FILTER (WHERE "kind" = 'fund'), 0) AS "funded",
        coalesce(sum(CASE "kind" WHEN 'fund' THEN "amountCents" ELSE -"amountCents" END), 0) AS "left"
      FROM "Transfer" WHERE "rainId" = rain."id"
    ) AS moved
    ORDER BY rain."id"`;
}
