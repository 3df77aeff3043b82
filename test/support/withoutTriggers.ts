import type { Database } from '../../src/ledger/database.ts';
import { execute } from './servers/postgres.ts';

/**
 * Runs statements as a superuser of the database can: no trigger and no foreign key stands in the way. One transaction.
 */
export async function withoutTriggers(database: Database, ...statements: readonly string[]): Promise<void> {
  await database.$transaction([
    database.$executeRaw`SET LOCAL session_replication_role = replica`,
    ...statements.map((sql) => database.$executeRawUnsafe(sql)),
  ]);
}

/** Makes a rain like one from before the database knew the packets of rains: it credits whatever it is told to. */
export function withoutAllocation({ databaseUrl }: { databaseUrl: string }, rainId: string): Promise<void> {
  return execute(
    databaseUrl,
    `SET session_replication_role = replica; DELETE FROM "Allocation" WHERE "rainId" = '${rainId}'`,
  );
}
