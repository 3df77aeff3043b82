import { describe, it } from 'vitest';
import { migrate } from '../../src/ledger/migrate.ts';
import { startPglite } from '../support/pglite.ts';
import { postgresInstalled, startPostgres } from '../support/postgres.ts';
import { ledgerContract } from './contract.ts';

ledgerContract('PGlite', startPglite);

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
