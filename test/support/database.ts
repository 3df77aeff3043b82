import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '../../src/ledger/migrate.ts';
import { readMigrations } from '../../src/ledger/migration.ts';
import { startEmbeddedDatabase } from '../../src/runtime/embedded/database.ts';
import { homeAt, type Home } from '../../src/runtime/home.ts';

export interface TestDatabase {
  url: string;
  pid: number;
  /** Resolves when the server has ended and its folder is gone. */
  stop(): Promise<void>;
}

const TEMPLATES = fileURLToPath(new URL('../../node_modules/.cache/rain-test-database/', import.meta.url));

/** The product's own PostgreSQL server on a free port, in a folder of this test's own: migrated, and empty. */
export async function startDatabase(): Promise<TestDatabase> {
  const template = await keepTemplate();
  return await serve((home) => cpSync(template, home.postgres, { recursive: true }));
}

async function serve(prepare: (home: Home) => void): Promise<TestDatabase & { home: Home }> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-database-'));
  const home = homeAt(folder);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  try {
    prepare(home);
    const started = await startEmbeddedDatabase({ home });
    if (!started.ok) throw new Error(started.reason);
    const { url, pid, stop } = started.server;
    const killAtExit = () => {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Ended already.
      }
      remove();
    };
    process.once('exit', killAtExit);
    return {
      url, pid, home,
      async stop() {
        await stop();
        process.off('exit', killAtExit);
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * A migrated data folder to copy, since making one takes seconds. It is kept until PGlite or a migration changes; two
 * tests that make it at once each make one, and the later gives way.
 */
async function keepTemplate(): Promise<string> {
  const { version } = JSON.parse(readFileSync(new URL('../../node_modules/@electric-sql/pglite/package.json', import.meta.url), 'utf8')) as { version: string };
  const key = createHash('sha256').update(JSON.stringify([version, readMigrations()])).digest('hex').slice(0, 16);
  const template = join(TEMPLATES, key);
  if (existsSync(template)) return template;
  mkdirSync(TEMPLATES, { recursive: true });
  const draft = mkdtempSync(join(TEMPLATES, 'draft-'));
  try {
    const database = await serve(() => {});
    try {
      await migrate(database.url);
    } finally {
      await database.stopKeeping(join(draft, 'postgres'));
    }
    renameSync(join(draft, 'postgres'), template);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return template;
}
