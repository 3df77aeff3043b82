import { Client } from 'pg';
import { MigrationError, nextOf, readApplied, readMigrations, type Migration } from './migrate.ts';

/** What a database reports about itself, for an operator who is about to use it for real money. */
export interface DatabaseFacts {
  /** The result of `SELECT version()`. */
  version: string;
  /** 150004 for 15.4. */
  versionNumber: number;
  /** The embedded database: one session for all, and no fsync. */
  embedded: boolean;
  /** Names of pending migrations; or why the records cannot be trusted. */
  migrations: { missing: string[] } | { fault: string };
  /** Missing privileges of this user, such as `INSERT on "Transfer"`. Empty while the tables do not exist. */
  privilegesMissing: string[];
  connections: { max: number; used: number };
  fsync: boolean;
  synchronousCommit: string;
  /** The database's clock minus this machine's, ms. */
  clockAheadMs: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;

/** The program reads and inserts rows in nearly every table, updates rows in some, and deletes none. */
const APPENDED = ['SELECT', 'INSERT'] as const;
const CHANGED = [...APPENDED, 'UPDATE'] as const;
const STEPPED = ['SELECT', 'UPDATE'] as const;
const NEEDED: Record<string, readonly string[]> = {
  Rain: CHANGED, Campaign: APPENDED, Portion: APPENDED, Account: CHANGED, Transfer: APPENDED, OperatorAction: APPENDED,
  Discard: APPENDED, Reservation: APPENDED, ReservedBudget: CHANGED, Operator: CHANGED, OperatorToken: CHANGED,
  StoreEpoch: STEPPED,
};

/** @throws when the database cannot be reached or rejects this user */
export async function examineDatabase(databaseUrl: string, migrations: readonly Migration[] = readMigrations()): Promise<DatabaseFacts> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: QUERY_TIMEOUT_MS, application_name: 'rain doctor' });
  client.on('error', () => {});
  try {
    await client.connect();
    const version = await one<string>(client, 'SELECT version() AS value');
    const before = Date.now();
    const now = await one<string>(client, 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS value');
    return {
      version,
      versionNumber: Number(await one<string>(client, "SELECT current_setting('server_version_num') AS value")),
      embedded: /emcc|emscripten|pglite/i.test(version),
      migrations: await migrationState(client, migrations),
      privilegesMissing: await missingPrivileges(client),
      connections: {
        max: Number(await one<string>(client, "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS value")),
        used: Number(await one<string>(client, "SELECT count(*)::int AS value FROM pg_stat_activity WHERE backend_type = 'client backend'")),
      },
      fsync: await one<string>(client, "SELECT current_setting('fsync') AS value") === 'on',
      synchronousCommit: await one<string>(client, "SELECT current_setting('synchronous_commit') AS value"),
      clockAheadMs: Math.round(Number(now) - (before + Date.now()) / 2),
    };
  } finally {
    await client.end().catch(() => {});
  }
}

async function one<T>(client: Client, sql: string): Promise<T> {
  const { rows } = await client.query<{ value: T }>(sql);
  return rows[0]!.value;
}

async function migrationState(client: Client, migrations: readonly Migration[]): Promise<DatabaseFacts['migrations']> {
  const recorded = await one<string | null>(client, `SELECT to_regclass('"_prisma_migrations"')::text AS value`);
  if (recorded === null) return { missing: migrations.map(({ name }) => name) };
  try {
    const applied = await readApplied(client);
    nextOf(migrations, applied);
    return { missing: migrations.map(({ name }) => name).filter((name) => !applied.has(name)) };
  } catch (error) {
    // A migration was edited since, or never finished; or this user may not read the records.
    if (error instanceof MigrationError) return { fault: error.message };
    return { fault: `the records of the migrations cannot be read (${(error as Error).message})` };
  }
}

async function missingPrivileges(client: Client): Promise<string[]> {
  const missing: string[] = [];
  for (const [table, privileges] of Object.entries(NEEDED)) {
    const name = `"${table}"`;
    if (await one<string | null>(client, `SELECT to_regclass('${name}')::text AS value`) === null) continue;
    for (const privilege of privileges) {
      if (!await one<boolean>(client, `SELECT has_table_privilege('${name}', '${privilege}') AS value`)) missing.push(`${privilege} on ${name}`);
    }
  }
  return missing;
}
