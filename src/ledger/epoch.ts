import type { Database } from './database.ts';

/** Which state of the database this is; see `prisma/schema.prisma`. */
export interface LedgerEpoch {
  storeId: string;
  /** Far below 2^53: it grows by one every few seconds. */
  counter: number;
}

/** @throws when the migration of the epoch is missing */
export async function epoch(database: Database): Promise<LedgerEpoch> {
  const { storeId, counter } = await database.storeEpoch.findUniqueOrThrow({ where: { id: 1 } });
  return { storeId, counter: Number(counter) };
}

/**
 * Begins the next epoch.
 * @param after the new counter is greater than this one, too
 * @throws when the migration of the epoch is missing
 */
export async function nextEpoch(database: Database, after = 0): Promise<LedgerEpoch> {
  const [row] = await database.$queryRaw<{ storeId: string; counter: bigint }[]>`
    UPDATE "StoreEpoch" SET "counter" = greatest("counter", ${after}::bigint) + 1 WHERE "id" = 1 RETURNING "storeId"::text, "counter"`;
  if (!row) throw new Error('the database has no epoch: its migrations are missing');
  return { storeId: row.storeId, counter: Number(row.counter) };
}
