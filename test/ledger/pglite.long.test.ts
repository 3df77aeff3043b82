import { startPglite } from '../support/servers/pglite.ts';
import { execute } from '../support/servers/postgres.ts';
import { ledgerContract } from './contract.ts';
import { migrationContract } from './contract-migrate.ts';

ledgerContract('PGlite', startPglite);

migrationContract('PGlite', async () => {
  const database = await startPglite();
  return {
    async empty() {
      await execute(database.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public');
      return database.url;
    },
    stop: database.stop,
  };
});
