import { join } from 'node:path';
import { Client } from 'pg';
import { inject } from 'vitest';
import { startPglite } from './pglite.ts';
import { TcpProxy } from './proxy.ts';

export interface TestDatabase {
  url: string;
  /** Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

/**
 * A database of this test's own, migrated and empty: at the PostgreSQL server of this run, see postgresOfRun.ts, or,
 * where none is installed, at the product's own, a slower server that is started for it.
 */
export async function startDatabase(): Promise<TestDatabase> {
  const server = inject('postgresOfRun');
  if (!server) return await startPglite();
  return create(server.url, `TEMPLATE ${server.template}`);
}

/** One without any table, at the PostgreSQL server of this run, which must be there: see `postgresInstalled`. */
export async function startEmptyDatabase(): Promise<TestDatabase> {
  return create(inject('postgresOfRun')!.url, '');
}

/** A bad line to the database of a test, and its address by that line. PGlite listens on a Unix socket. */
export async function proxyDatabase(url: string): Promise<{ line: TcpProxy; url: string }> {
  const address = new URL(url);
  const line = await TcpProxy.open(
    address.port === '' ? join(decodeURIComponent(address.hostname), '.s.PGSQL.5432') : Number(address.port),
  );
  return { line, url: Object.assign(address, { host: `127.0.0.1:${line.port}` }).href };
}

async function create(serverUrl: string, how: string): Promise<TestDatabase> {
  const name = `test_${process.pid}_${++databases}`;
  await execute(serverUrl, `CREATE DATABASE ${name} ${how}`);
  return {
    url: Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href,
    stop: () => execute(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`),
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
