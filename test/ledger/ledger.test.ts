import { describe, it } from 'vitest';
import { migrate } from '../../src/ledger/migrate.ts';
import { startDatabase } from '../support/database.ts';
import { postgresInstalled, startPostgres } from '../support/postgres.ts';
import { ledgerContract } from './contract.ts';

ledgerContract('PGlite', startDatabase);

if (postgresInstalled) {
  ledgerContract('PostgreSQL', async () => {
    const postgres = await startPostgres();
    const url = await postgres.newDatabase();
    await migrate(url);
    return { url, stop: postgres.stop };
  });
} else {
  describe('the book on PostgreSQL', () => {
    it.skip('PostgreSQL is not installed on this machine', () => {});
  });
}
