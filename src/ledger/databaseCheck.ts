import { Client } from 'pg';
import { connectDatabase } from './database.ts';
import { isEmbeddedVersion, MigrationError, nextOf, readApplied, readMigrations, type Migration } from './migrate.ts';
import { missingPrivileges, type DatabaseRole } from './privileges.ts';
import { requireSession, SessionError } from './sessionCheck.ts';

/** A database's facts about itself, for an operator who is about to use it for real money. */
export interface DatabaseFacts {
  /** The result of `SELECT version()`. */
  version: string;
  /** 150004 for 15.4. */
  versionNumber: number;
  /** The embedded database: one session for all, and no fsync. */
  embedded: boolean;
  /** Names of pending migrations; or why the records cannot be trusted. */
  migrations: { missing: string[] } | { fault: string };
  /**
   * The privileges that this user lacks: those of the console and the command line, and those of a worker.
   */
  privilegesMissing: Record<DatabaseRole, string[]>;
  /** This user owns tables, or is a superuser: it could switch off the triggers that refuse changes. */
  ownsTables: boolean;
  connections: { max: number; used: number };
  fsync: boolean;
  synchronousCommit: string;
  /** The time zone of our sessions; or their fault, and what to do. */
  session: { zone: string } | Pick<SessionError, 'code' | 'found' | 'advice'>;
  /** The database's clock minus this machine's, ms. */
  clockAheadMs: number;
}

const CONNECT_TIMEOUT_MS = 5_000;
const QUERY_TIMEOUT_MS = 10_000;

/** @throws when the database cannot be reached or rejects this user */
export async function examineDatabase(
  databaseUrl: string,
  migrations: readonly Migration[] = readMigrations(),
): Promise<DatabaseFacts> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    application_name: 'rain doctor',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const version = await one<string>(client, 'SELECT version() AS value');
    const before = Date.now();
    const now = await one<string>(
      client,
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint::text AS value',
    );
    const askedAt = (before + Date.now()) / 2;
    return {
      version,
      versionNumber: Number(await one<string>(client, "SELECT current_setting('server_version_num') AS value")),
      embedded: isEmbeddedVersion(version),
      migrations: await migrationState(client, migrations),
      privilegesMissing: {
        operator: await missingPrivileges(client, 'operator'),
        worker: await missingPrivileges(client, 'worker'),
      },
      ownsTables: await one<boolean>(
        client,
        `SELECT coalesce(bool_or(pg_has_role(relowner, 'MEMBER')), false) AS value FROM pg_class WHERE oid IN (to_regclass('"Account"'), to_regclass('"Transfer"'))`,
      ),
      connections: {
        max: Number(
          await one<string>(
            client,
            "SELECT current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS value",
          ),
        ),
        used: Number(
          await one<string>(
            client,
            "SELECT count(*)::int AS value FROM pg_stat_activity WHERE backend_type = 'client backend'",
          ),
        ),
      },
      fsync: (await one<string>(client, "SELECT current_setting('fsync') AS value")) === 'on',
      synchronousCommit: await one<string>(client, "SELECT current_setting('synchronous_commit') AS value"),
      session: await examineSession(databaseUrl),
      clockAheadMs: Math.round(Number(now) - askedAt),
    };
  } finally {
    await client.end().catch(() => {});
  }
}

/** On a connection as servers have it. */
async function examineSession(databaseUrl: string): Promise<DatabaseFacts['session']> {
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 });
  try {
    return { zone: await requireSession(database) };
  } catch (error) {
    if (error instanceof SessionError) return error;
    throw error;
  } finally {
    await database.$disconnect();
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
