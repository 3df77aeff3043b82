import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RECORD_VARIABLE, type RunRecord } from './runRecord.ts';

const VITEST = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url));

let running: ChildProcess | undefined;
let ended = false;

/** Ctrl-C reaches vitest by itself; SIGTERM is passed on. No second run begins after either. */
export function endWithRun(): void {
  process.on('SIGINT', () => {
    ended = true;
  });
  process.on('SIGTERM', () => {
    ended = true;
    running?.kill('SIGTERM');
  });
}

/**
 * Runs vitest in the current folder. `record` is undefined when the run came to no counts, or was ended by a signal.
 */
export async function runVitest(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ record: RunRecord | undefined; code: number | null; signal: NodeJS.Signals | null }> {
  const folder = mkdtempSync(join(tmpdir(), 'rain-run-'));
  try {
    const path = join(folder, 'record.json');
    running = spawn(process.execPath, [VITEST, 'run', ...args], {
      stdio: 'inherit',
      env: { ...process.env, ...env, [RECORD_VARIABLE]: path },
    });
    const [code, signal] = (await once(running, 'exit')) as [number | null, NodeJS.Signals | null];
    const record =
      existsSync(path) && !ended && signal === null ? (JSON.parse(readFileSync(path, 'utf8')) as RunRecord) : undefined;
    return { record, code: ended && code === 0 ? 130 : code, signal };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
