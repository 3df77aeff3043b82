import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { ROOT } from '../platform/process/root.ts';
import { connectionError } from './database.ts';
import { requireSchema, type SessionNames } from './sessionCheck.ts';

// `prisma migrate deploy` needs an engine that is downloaded when Prisma is installed, which is not possible
// everywhere. This does the same with the same files and the same records, so that both give the same result.

const FOLDER = new URL('prisma/migrations/', ROOT);

/** One folder of prisma/migrations, in Prisma's own layout: `<timestamp>_<name>/migration.sql`. */
export interface Migration {
  name: string;
  sql: string;
  /** Prisma's entry in `_prisma_migrations`: SHA-256 of the file, in hex. */
  checksum: string;
}

/** All migrations, oldest first: their names begin with their creation time. */
export function readMigrations(folder: URL = FOLDER): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(new URL(`${name}/migration.sql`, folder), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/** Prisma's own advisory lock, so that the two never run at the same time. */
const LOCK_ID = 72707369;
/** How long to wait for another process that is migrating, and for locks of the tables, in all. */
const WAIT_MS_MAX = 600_000;
const PAUSE_MS = 250;
/**
 * How long one attempt waits for the lock of a table: whoever wants the table meanwhile waits behind it. Below the time
 * after which PostgreSQL looks for a deadlock, so that it is never a credit that is ended for one.
 */
const LOCK_TIMEOUT_MS = 300;
const CONNECT_TIMEOUT_MS = 10_000;

const TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id"                  VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum"            VARCHAR(64) NOT NULL,
    "finished_at"         TIMESTAMPTZ,
    "migration_name"      VARCHAR(255) NOT NULL,
    "logs"                TEXT,
    "rolled_back_at"      TIMESTAMPTZ,
    "started_at"          TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

interface Applied {
  migration_name: string;
  checksum: string;
  /** Asked of the database: its times are not readable with every setting. */
  finished: boolean;
}

/** The database and prisma/migrations contradict each other; an operator has to check before anything is written. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

/**
 * Migrates the database to the newest version, while credits go on. It is harmless to repeat it or to start it in
 * several processes at once: each migration is one transaction, under a lock, together with its record; but for one
 * that builds an index `CONCURRENTLY`, which is a single statement and is repeated when it was cut.
 * @returns the names of the migrations applied by this call, oldest first
 * @throws MigrationError when an applied migration was edited since or failed half-way; otherwise the error of
 *   PostgreSQL
 */
export async function migrate(
  databaseUrl: string,
  migrations: readonly Migration[] = readMigrations(),
  waitMs = WAIT_MS_MAX,
): Promise<string[]> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'rain migrate',
  });
  // The next statement reports a lost connection; without a listener the event would end the process.
  client.on('error', () => {});
  await client.connect().catch((error: unknown) => {
    throw connectionError(databaseUrl, error);
  });
  try {
    const [session] = (
      await client.query<SessionNames>(
        'SELECT current_user::text AS "role", current_database()::text AS "name", current_schema()::text AS "schema"',
      )
    ).rows;
    requireSchema(session!);
    const ordered = (await isEmbedded(client))
      ? migrations.map((migration) => ({ ...migration, sql: migration.sql.replaceAll(CONCURRENTLY, 'INDEX') }))
      : migrations;
    const applied: string[] = [];
    for (let deadline = performance.now() + waitMs; ;) {
      const step = await applyNext(client, ordered).catch((error: unknown) => {
        if (!LOCK_ERRORS.has((error as { code?: string }).code ?? '') || performance.now() >= deadline) throw error;
        return 'locked' as const;
      });
      if (step === 'done') return applied;
      if (step === 'locked') {
        if (performance.now() >= deadline)
          throw new MigrationError('another process has been migrating this database for too long');
        await sleep(PAUSE_MS);
      } else {
        applied.push(step.applied);
        deadline = performance.now() + waitMs;
      }
    }
  } finally {
    await client.end();
  }
}

/** SQLSTATE of a lock that was not to be had in time, and of a deadlock. */
const LOCK_ERRORS: ReadonlySet<string> = new Set(['55P03', '40P01']);
const CONCURRENTLY = 'INDEX CONCURRENTLY';

/**
 * Its clients share one session, so that nobody else is there to be disturbed, and no session's lock keeps them apart.
 */
async function isEmbedded(client: Client): Promise<boolean> {
  return isEmbeddedVersion((await client.query<{ version: string }>('SELECT version()')).rows[0]!.version);
}

/** @param version as `SELECT version()` gives it */
export function isEmbeddedVersion(version: string): boolean {
  return /emcc|emscripten|pglite/i.test(version);
}

/**
 * Applies the oldest pending migration in one transaction. It does not wait for another process within a statement: an
 * index is built concurrently only when every statement has ended that began before.
 * @returns `locked`: another process is migrating
 */
async function applyNext(
  client: Client,
  migrations: readonly Migration[],
): Promise<{ applied: string } | 'locked' | 'done'> {
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL lock_timeout = ${LOCK_TIMEOUT_MS}`);
    const {
      rows: [lock],
    } = await client.query<{ held: boolean }>(`SELECT pg_try_advisory_xact_lock(${LOCK_ID}) AS held`);
    if (!lock!.held) {
      await client.query('ROLLBACK');
      return 'locked';
    }
    await client.query(TABLE);
    const next = nextOf(migrations, await readApplied(client));
    if (next?.sql.includes(CONCURRENTLY)) {
      // Held on by the session when the transaction ends.
      await client.query(`SELECT pg_advisory_lock(${LOCK_ID})`);
      await client.query('COMMIT');
      try {
        await applyConcurrently(client, next);
      } finally {
        await client.query(`SELECT pg_advisory_unlock(${LOCK_ID})`);
      }
      return { applied: next.name };
    }
    if (next) {
      await client.query(next.sql);
      await recordApplied(client, next);
    }
    await client.query('COMMIT');
    return next ? { applied: next.name } : 'done';
  } catch (error) {
    // Report the first error; a lost connection has rolled back by itself.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** A build that was cut leaves an index that refuses and finds nothing, and that is in the way of the next. */
async function applyConcurrently(client: Client, migration: Migration): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid',
  );
  for (const { name } of rows) if (migration.sql.includes(name)) await client.query(`DROP ${CONCURRENTLY} ${name}`);
  await client.query(migration.sql);
  await recordApplied(client, migration);
}

async function recordApplied(client: Client, { name, checksum }: Migration): Promise<void> {
  await client.query(
    `INSERT INTO "_prisma_migrations" ("id", "checksum", "migration_name", "started_at", "finished_at", "applied_steps_count")
     VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
    [randomUUID(), checksum, name],
  );
}

/** Recorded migrations that were not rolled back, by name. */
export async function readApplied(client: Client): Promise<Map<string, Applied>> {
  const { rows } = await client.query<Applied>(
    `SELECT "migration_name", "checksum", "finished_at" IS NOT NULL AS "finished"
     FROM "_prisma_migrations" WHERE "rolled_back_at" IS NULL`,
  );
  return new Map(rows.map((row) => [row.migration_name, row]));
}

/** The oldest pending migration. @throws MigrationError when the records and the files contradict each other */
export function nextOf(migrations: readonly Migration[], applied: ReadonlyMap<string, Applied>): Migration | undefined {
  for (const { name, checksum } of migrations) {
    const record = applied.get(name);
    if (!record) continue;
    if (!record.finished)
      throw new MigrationError(`migration ${name} was started but never finished: see \`prisma migrate resolve\``);
    if (record.checksum !== checksum)
      throw new MigrationError(
        `migration ${name} was edited after it was applied to this database: undo the edit, and put the change into a new migration`,
      );
  }
  return migrations.find(({ name }) => !applied.has(name));
}
