import { inject } from 'vitest';
import { Client } from 'pg';
import { startPglite } from './pglite.ts';

export interface TestDatabase {
  url: string;
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

/**
 * A database of this test's own, migrated and empty: at the PostgreSQL server of this run, see postgresOfRun.ts, or, where none
 * is installed, at the product's own, a slower server that is started for it.
 */
export async function startDatabase(): Promise<TestDatabase> {
  const server = inject('postgresOfRun');
  if (!server) return await startPglite();
  const name = `test_${process.pid}_${++databases}`;
  await execute(server.url, `CREATE DATABASE ${name} TEMPLATE ${server.template}`);
  return {
    url: Object.assign(new URL(server.url), { pathname: `/${name}` }).href,
    stop: () => execute(server.url, `DROP DATABASE ${name} WITH (FORCE)`),
  };
}

let databases = 0;

async function execute(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
