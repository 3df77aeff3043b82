import type { Database } from '../../src/ledger/database.ts';

/** Runs statements as a superuser of the database can: no trigger and no foreign key stands in the way. One transaction. */
export async function withoutTriggers(database: Database, ...statements: readonly string[]): Promise<void> {
  await database.$transaction([
    database.$executeRaw`SET LOCAL session_replication_role = replica`,
    ...statements.map((sql) => database.$executeRawUnsafe(sql)),
  ]);
}
