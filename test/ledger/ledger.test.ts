import { describe, it } from 'vitest';
import { startDatabase } from '../support/servers/database.ts';
import { startPglite } from '../support/servers/pglite.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { ledgerContract } from './contract.ts';

ledgerContract('PGlite', startPglite);

if (postgresInstalled) {
  ledgerContract('PostgreSQL', startDatabase);
} else {
  describe('the book on PostgreSQL', () => {
    it.skip('PostgreSQL is not installed on this machine', () => {});
  });
}
