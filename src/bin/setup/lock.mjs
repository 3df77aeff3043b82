import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, SetupError } from './step.mjs';

// One set-up at a time: `npm start` and `npm test` begun together must not write the same files. Each holder creates a
// file with the next higher number, which can succeed for one only, and empties it at the end. A holder whose process is
// gone, or that has not shown its heartbeat for long (its id may belong to somebody else by now), is passed over.
const HEARTBEAT_MS = 1_000;
const SILENT_MS_MAX = 60_000;
const WAIT_MS_MAX = 20 * 60_000;

/**
 * Does `work` while no other set-up of this folder works.
 * @param {(pid: number) => void} onWait called once when somebody else is at it
 */
export async function exclusively(folder, work, onWait, { silentMsMax = SILENT_MS_MAX, waitMsMax = WAIT_MS_MAX } = {}) {
  mkdirSync(folder, { recursive: true });
  const started = Date.now();
  for (let told = false; ;) {
    const { n, pid, silentMs } = newest(folder);
    if (pid !== undefined && isRunning(pid) && silentMs < silentMsMax) {
      if (!told) onWait(pid);
      told = true;
      if (Date.now() - started > waitMsMax) {
        throw new SetupError(`another set-up (process ${pid}) has not finished for ${waitMsMax / 60_000} minutes.`);
      }
      await sleep(200);
    } else if (take(folder, n + 1)) {
      if (n > 0) rmSync(fileOf(folder, n), { force: true });
      return await hold(fileOf(folder, n + 1), work);
    }
  }
}

async function hold(file, work) {
  const heartbeat = setInterval(() => {
    try {
      utimesSync(file, new Date(), new Date());
    } catch {
      // Somebody removed the folder; the work goes on.
    }
  }, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    // Emptied, not removed: the numbers must never go back.
    try {
      truncateSync(file);
    } catch {
      // As above.
    }
  }
}

function newest(folder) {
  const numbers = readdirSync(folder).map((name) => /^lock\.(\d+)$/.exec(name)?.[1]).filter(Boolean).map(Number);
  const n = Math.max(0, ...numbers);
  try {
    const pid = Number(readFileSync(fileOf(folder, n), 'utf8'));
    return { n, pid: pid > 0 ? pid : undefined, silentMs: Date.now() - statSync(fileOf(folder, n)).mtimeMs };
  } catch {
    return { n, pid: undefined, silentMs: 0 };
  }
}

function take(folder, n) {
  const draft = join(folder, `lock-draft.${process.pid}`);
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, fileOf(folder, n));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function fileOf(folder, n) {
  return join(folder, `lock.${n}`);
}
