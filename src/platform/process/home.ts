import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { acquireLock, type HomeLock } from './homeLock.ts';
import { readRunning } from './runningSystem.ts';

/** The folder (`.rain`) of one running system: data of the embedded servers, logs, secrets, and the lock. */
export type Home = ReturnType<typeof homeAt>;

type OpenedHome =
  | { ok: true; home: Home; lock: HomeLock }
  /** `unusable`: the folder cannot be written; `taken`: another system runs in it. The reason is one sentence. */
  | { ok: false; problem: 'unusable' | 'taken'; reason: string };

/** The paths in a home; does not access the disk. */
export function homeAt(folder: string) {
  const path = resolve(folder);
  return {
    folder: path,
    redis: join(path, 'redis'),
    postgres: join(path, 'postgres'),
    sockets: join(path, 'sockets'),
    logs: join(path, 'logs'),
  };
}

/** Creates the home if needed and locks it. It waits until the last children of a killed predecessor have ended. */
export async function openHome(folder: string, { waitMs = 10_000 } = {}): Promise<OpenedHome> {
  const home = homeAt(folder);
  try {
    makeFolder(home.folder);
    // The folder holds secrets, and data of servers, so it is closed whether it is new or not.
    chmodSync(home.folder, 0o700);
    const testFile = join(home.folder, `write-test.${process.pid}`);
    writeFileSync(testFile, '');
    rmSync(testFile);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return {
      ok: false,
      problem: 'unusable',
      reason: `the folder ${home.folder} cannot be written (${code}); make it writable or set RAIN_HOME to another folder`,
    };
  }
  const taken = await acquireLock(home.folder, { waitMs });
  if (taken.ok) return { ok: true, home, lock: taken.lock };
  const page = readRunning(home.folder)?.consoleUrl;
  return {
    ok: false,
    problem: 'taken',
    reason:
      `a red-packet rain is already running here (process ${taken.holder.pid}${page ? `, page ${page}` : ', still starting'}); ` +
      'stop it with Ctrl-C in its terminal, or set RAIN_HOME to another folder',
  };
}

/**
 * Also creates missing parents. Node's recursive mkdir never returns where a parent exists but accepts no folder, such
 * as /proc.
 */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
