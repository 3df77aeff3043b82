import { startDatabase } from '../support/servers/database.ts';
import { postgresInstalled } from '../support/servers/postgres.ts';
import { ledgerContract } from './contract.ts';

ledgerContract(postgresInstalled ? 'PostgreSQL' : 'PGlite', startDatabase);
