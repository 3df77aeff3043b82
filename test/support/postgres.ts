import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from './eventually.ts';
import { freePort } from './freePort.ts';

/** Where Debian keeps its servers, newest first. */
const FOLDER = '/usr/lib/postgresql';

function newestBinaries(): string | undefined {
  try {
    const versions = readdirSync(FOLDER).filter((name) => /^\d+$/.test(name)).sort((a, b) => Number(b) - Number(a));
    return versions[0] && join(FOLDER, versions[0], 'bin');
  } catch {
    return undefined;
  }
}

const binaries = newestBinaries();

/** Whether `startPostgres` can work here; tests that need it are skipped, visibly, where it cannot. */
export const postgresInstalled = binaries !== undefined;

export interface TestPostgres {
  /** Of a database that is new and empty, with no table in it. */
  newDatabase(): Promise<string>;
  /** Resolves when the server has ended and its folder is gone. */
  stop(): Promise<void>;
}

/** The server refuses to run as root, so root hands it to the user that Debian's package made for it. */
function asPostgres(): { words: string[]; uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return { words: [] };
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim());
  return { words: ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups', '--'], uid: id('-u'), gid: id('-g') };
}

/**
 * A real PostgreSQL server of this test's own, on a free port of 127.0.0.1.
 * @param settings further ones, e.g. `['fsync=on']`; they win over ours
 */
export async function startPostgres(settings: readonly string[] = []): Promise<TestPostgres> {
  if (!binaries) throw new Error('PostgreSQL is not installed');
  const { words, uid, gid } = asPostgres();
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-postgres-'));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const command = (name: string, ...args: string[]) => [...words, join(binaries, name), ...args] as [string, ...string[]];

  const [init, ...initArgs] = command('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale', 'C.UTF-8', '--no-sync');
  const made = spawnSync(init, initArgs, { encoding: 'utf8', cwd: folder });
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`initdb failed:\n${made.stdout}${made.stderr}`);
  }
  const [serve, ...serveArgs] = command('postgres', '-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', folder, '-c', 'fsync=off', '-c', 'max_connections=50', ...settings.flatMap((setting) => ['-c', setting]));
  const child = spawn(serve, serveArgs, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => { output = (output + String(chunk)).slice(-2_000); });
  const ended = once(child, 'close');
  const killAtExit = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', killAtExit);
  const stop = async () => {
    child.kill('SIGINT'); // Fast shutdown: open connections are closed.
    const late = setTimeout(() => child.kill('SIGQUIT'), 5_000);
    await ended;
    clearTimeout(late);
    process.off('exit', killAtExit);
    rmSync(folder, { recursive: true, force: true });
  };
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  let databases = 0;
  try {
    await Promise.race([
      eventually(() => execute(url('postgres'), 'SELECT 1'), { timeoutMs: 15_000 }),
      ended.then(() => { throw new Error(`postgres ended at once:\n${output}`); }),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    async newDatabase() {
      const name = `test_${++databases}`;
      await execute(url('postgres'), `CREATE DATABASE ${name}`);
      return url(name);
    },
    stop,
  };
}

/** One statement on a connection of its own. */
export async function execute(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end().catch(() => {});
  }
}
