import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';

/** prisma/ is beside src/ and beside dist/, at the same depth. */
const FOLDER = new URL('../../prisma/migrations/', import.meta.url);

/** One folder of prisma/migrations, in Prisma's own layout: `<timestamp>_<name>/migration.sql`. */
export interface Migration {
  name: string;
  sql: string;
  /** What Prisma writes into `_prisma_migrations`: SHA-256 of the file, in hex. */
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
