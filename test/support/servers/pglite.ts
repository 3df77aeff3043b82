import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate, readMigrations } from '../../../src/ledger/migrate.ts';
import { startEmbeddedDatabase } from '../../../src/platform/embedded/database.ts';
import { homeAt, type Home } from '../../../src/platform/process/home.ts';
import { memoryFolder } from '../runner/memoryFolder.ts';

export interface TestPglite {
  url: string;
  pid: number;
  /** Resolves when the server has ended and its folder is gone. */
  stop(): Promise<void>;
}

const TEMPLATES = fileURLToPath(new URL('../../../node_modules/.cache/rain-test-database/', import.meta.url));

/** The product's own PostgreSQL server on a free port, in a folder of this test's own: migrated, and empty. */
export async function startPglite(): Promise<TestPglite> {
  const home = homeAt(memoryFolder('rain-test-database-'));
  await layDatabase(home);
  return await serve(home);
}

/** Puts a database that is migrated and empty into a home that has none. */
export async function layDatabase(home: Home): Promise<void> {
  cpSync(await keepTemplate(), home.postgres, { recursive: true });
}

/** Starts the server in this home, which goes when the server goes. */
async function serve(home: Home): Promise<TestPglite> {
  const remove = () => rmSync(home.folder, { recursive: true, force: true });
  const started = await startEmbeddedDatabase({ home });
  if (!started.ok) {
    remove();
    throw new Error(started.reason);
  }
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
    url,
    pid,
    async stop() {
      await stop();
      process.off('exit', killAtExit);
      remove();
    },
  };
}

/**
 * A migrated data folder to copy, since making one takes seconds. It is kept until PGlite or a migration changes; two
 * tests that make it at once each make one, and the later one gives way.
 */
async function keepTemplate(): Promise<string> {
  const manifest = new URL('../../../node_modules/@electric-sql/pglite/package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const key = createHash('sha256')
    .update(JSON.stringify([version, readMigrations()]))
    .digest('hex')
    .slice(0, 16);
  const template = join(TEMPLATES, key);
  if (existsSync(template)) return template;
  mkdirSync(TEMPLATES, { recursive: true });
  const home = homeAt(mkdtempSync(join(TEMPLATES, 'draft-')));
  try {
    const started = await startEmbeddedDatabase({ home });
    if (!started.ok) throw new Error(started.reason);
    try {
      await migrate(started.server.url);
    } finally {
      await started.server.stop();
    }
    if (!existsSync(template)) renameSync(home.postgres, template);
  } finally {
    rmSync(home.folder, { recursive: true, force: true });
  }
  return template;
}
