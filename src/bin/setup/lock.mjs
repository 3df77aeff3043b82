import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, SetupError } from './step.mjs';

// Only one set-up runs at a time: `npm start` and `npm test` must not write the same files together. A holder creates
// the file with the next number, which only one process can do, and empties the file at the end. A holder is ignored
// when its process is gone, or when its heartbeat is too old, because another process may have its id by now.
const HEARTBEAT_MS = 1_000;
const SILENT_MS_MAX = 60_000;
const WAIT_MS_MAX = 20 * 60_000;

/** @param {(pid: number) => void} onWait called once when another process holds the lock */
export async function exclusively(folder, work, onWait, { silentMsMax = SILENT_MS_MAX, waitMsMax = WAIT_MS_MAX } = {}) {
  mkdirSync(folder, { recursive: true });
  const started = Date.now();
  for (let reported = false; ;) {
    const { n, pid, silentMs } = newest(folder);
    if (pid !== undefined && isRunning(pid) && silentMs < silentMsMax) {
      if (!reported) onWait(pid);
      reported = true;
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
  const heartbeat = setInterval(() => whileThere(() => utimesSync(file, new Date(), new Date())), HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    // Emptied, not removed: the numbers must never decrease.
    whileThere(() => truncateSync(file));
  }
}

function whileThere(touch) {
  try {
    touch();
  } catch {
    // The folder was removed; the work continues.
  }
}

function newest(folder) {
  const numbers = readdirSync(folder)
    .map((name) => /^lock\.(\d+)$/.exec(name)?.[1])
    .filter(Boolean)
    .map(Number);
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
