import { describe, it } from 'vitest';
import { startDatabase } from '../support/database.ts';
import { startPglite } from '../support/pglite.ts';
import { postgresInstalled } from '../support/postgres.ts';
import { ledgerContract } from './contract.ts';

ledgerContract('PGlite', startPglite);

if (postgresInstalled) {
  ledgerContract('PostgreSQL', startDatabase);
} else {
  describe('the book on PostgreSQL', () => {
    it.skip('PostgreSQL is not installed on this machine', () => {});
  });
}
