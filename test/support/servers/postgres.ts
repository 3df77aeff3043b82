import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { eventually } from '../eventually.ts';
import { freePort } from '../freePort.ts';
import { memoryFolder } from '../runner/memoryFolder.ts';

/** Where Debian keeps its servers, newest first. */
const FOLDER = '/usr/lib/postgresql';

function newestBinaries(): string | undefined {
  try {
    const versions = readdirSync(FOLDER)
      .filter((name) => /^\d+$/.test(name))
      .sort((a, b) => Number(b) - Number(a));
    return versions[0] && join(FOLDER, versions[0], 'bin');
  } catch {
    return undefined;
  }
}

const binaries = newestBinaries();

/** Whether `startPostgres` can work here; tests that need it are skipped, visibly, where it cannot. */
export const postgresInstalled = binaries !== undefined;

export interface TestPostgres {
  /** The address of a database that is new and empty, with no table in it. */
  newDatabase(): Promise<string>;
  port: number;
  /** The server that runs; where the last one has ended, in whatever way, another on the same data and port. */
  serve(): Promise<PostgresServer>;
  /** Resolves when the server has ended and its folder is gone. */
  stop(): Promise<void>;
}

/** One life of the server: a process and those that it has started, one per connection and some of its own. */
interface PostgresServer {
  pid: number;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** To all of its processes: they do not pass it on to each other. */
  signal(signal: NodeJS.Signals): void;
  /** In order, whatever is connected; harmless to repeat. */
  stop(): Promise<void>;
  /** The line that it printed last. */
  lastLine(): string;
}

/** The server refuses to run as root, so root hands it to the user that Debian's package made for it. */
function asPostgres(): { words: string[]; uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return { words: [] };
  const id = (flag: string) => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout.trim());
  return {
    words: ['setpriv', '--reuid', 'postgres', '--regid', 'postgres', '--init-groups', '--'],
    uid: id('-u'),
    gid: id('-g'),
  };
}

/**
 * A real PostgreSQL server of this test's own, on a free port of 127.0.0.1.
 * @param settings further ones, e.g. `['fsync=on']`; they win over ours
 */
export async function startPostgres(settings: readonly string[] = []): Promise<TestPostgres> {
  if (!binaries) throw new Error('PostgreSQL is not installed');
  const { words, uid, gid } = asPostgres();
  const folder = memoryFolder('rain-test-postgres-');
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  const data = join(folder, 'data');
  const port = await freePort();
  const command = (name: string, ...args: string[]) =>
    [...words, join(binaries, name), ...args] as [string, ...string[]];

  const [init, ...initArgs] = command(
    'initdb',
    '-D',
    data,
    '-U',
    'postgres',
    '-A',
    'trust',
    '-E',
    'UTF8',
    '--locale',
    'C.UTF-8',
    '--no-sync',
  );
  const made = spawnSync(init, initArgs, { encoding: 'utf8', cwd: folder });
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`initdb failed:\n${made.stdout}${made.stderr}`);
  }
  const url = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const [program, ...serveWords] = command(
    'postgres',
    '-D',
    data,
    '-p',
    String(port),
    '-h',
    '127.0.0.1',
    '-k',
    folder,
    '-c',
    'fsync=off',
    '-c',
    'max_wal_size=256MB',
    '-c',
    'max_connections=50',
    ...settings.flatMap((setting) => ['-c', setting]),
  );
  let running: PostgresServer | undefined;
  const serve = async () => {
    if (running) return running;
    const server = startServer(program, serveWords, folder);
    running = server;
    void server.ended.then(() => {
      running = undefined;
    });
    try {
      await Promise.race([
        eventually(() => execute(url('postgres'), 'SELECT 1'), { timeoutMs: 15_000 }),
        server.ended.then(() => {
          throw new Error(`postgres ended at once: ${server.lastLine()}`);
        }),
      ]);
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  };
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  try {
    await serve();
  } catch (error) {
    removeFolder();
    throw error;
  }
  process.once('exit', removeFolder);
  let databases = 0;
  return {
    port,
    async newDatabase() {
      const name = `test_${++databases}`;
      await execute(url('postgres'), `CREATE DATABASE ${name}`);
      return url(name);
    },
    serve,
    async stop() {
      await running?.stop();
      process.off('exit', removeFolder);
      removeFolder();
    },
  };
}

function startServer(program: string, words: readonly string[], folder: string): PostgresServer {
  const child = spawn(program, words, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => {
    output = (output + String(chunk)).slice(-2_000);
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Awaited<PostgresServer['ended']>);
  const signalAll = (signal: NodeJS.Signals) => {
    // The first of them before the others, or it would start new ones in their place.
    const family = [child.pid!, ...childrenOf(child.pid!)];
    for (const pid of family) tell(pid, signal);
    // Started between the look and the signal.
    for (const pid of childrenOf(child.pid!)) if (!family.includes(pid)) tell(pid, signal);
  };
  const killAtExit = () => signalAll('SIGKILL');
  process.once('exit', killAtExit);
  void ended.then(() => process.off('exit', killAtExit));
  return {
    pid: child.pid!,
    ended,
    signal: signalAll,
    async stop() {
      child.kill('SIGINT'); // Fast shutdown: open connections are closed.
      const late = setTimeout(() => child.kill('SIGQUIT'), 5_000);
      await ended;
      clearTimeout(late);
    },
    lastLine: () => output.trim().split('\n').at(-1) ?? '',
  };
}

function childrenOf(pid: number): number[] {
  return spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .stdout.split('\n')
    .map(Number)
    .filter((child) => child > 0);
}

function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Ended meanwhile.
  }
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
