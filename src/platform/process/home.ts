import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { acquireLock, type HomeLock } from './homeLock.ts';
import { readRunning } from './runningSystem.ts';

/** The folder (`.rain`) of one running system: data of the embedded servers, logs, secrets, who runs here. */
export interface Home {
  folder: string;
  redis: string;
  postgres: string;
  logs: string;
}

type OpenedHome =
  | { ok: true; home: Home; lock: HomeLock }
  /** `unusable`: RAIN_HOME names no folder that can be written; `taken`: another process runs there. */
  | { ok: false; problem: 'unusable' | 'taken'; reason: string };

/** Where things lie in a home; touches nothing. */
export function homeAt(folder: string): Home {
  const path = resolve(folder);
  return { folder: path, redis: join(path, 'redis'), postgres: join(path, 'postgres'), logs: join(path, 'logs') };
}

/**
 * Creates the home where needed and takes it for this process alone, waiting for the last children of a killed
 * predecessor to end.
 * @returns a reason, one sentence, when it cannot be written or another process has it
 */
export async function openHome(folder: string, { waitMs = 10_000 } = {}): Promise<OpenedHome> {
  const home = homeAt(folder);
  try {
    makeFolder(home.folder);
    const probe = join(home.folder, `probe.${process.pid}`);
    writeFileSync(probe, '');
    rmSync(probe);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { ok: false, problem: 'unusable', reason: `the folder ${home.folder} cannot be written (${code}); make it writable or set RAIN_HOME to another folder` };
  }
  const taken = await acquireLock(home.folder, { waitMs });
  if (taken.ok) return { ok: true, home, lock: taken.lock };
  const page = readRunning(home.folder)?.consoleUrl;
  return {
    ok: false,
    problem: 'taken',
    reason: `a red-packet rain is already running here (process ${taken.holder.pid}${page ? `, page ${page}` : ', still starting'}); `
      + 'end it with Ctrl-C in its terminal or set RAIN_HOME to another folder',
  };
}

/** With the parents that are missing. Node's own recursive way never comes back where a parent is there and takes no folder, as /proc. */
function makeFolder(path: string): void {
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
