import type { Database, Transaction } from './database.ts';

/**
 * Reads rows with the top-ups that belong to them. Prisma reads these by a second statement, which may see one that was
 * added in between; an audit that recomputes the plan would then find another one. So what has top-ups is read again,
 * both in one snapshot.
 */
export async function atOneMoment<Rows>(
  database: Database,
  read: (at: Database | Transaction) => Promise<Rows>,
  hasTopUps: (rows: Rows) => boolean,
): Promise<Rows> {
  const rows = await read(database);
  if (!hasTopUps(rows)) return rows;
  return database.$transaction(read, { isolationLevel: 'RepeatableRead' });
}
