import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bareEnvironment, type Running } from './call.ts';

const RAIN = fileURLToPath(new URL('../../dist/bin/rain.js', import.meta.url));

export interface CliProcess extends Running {
  child: ChildProcess;
}

const processes = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of processes) child.kill('SIGKILL');
});

/**
 * Starts the compiled `rain` in an empty folder, for what only a process shows: servers, signals, pipes. For the rest
 * see call.ts.
 */
export function startCli(words: readonly string[], env: Record<string, string> = {}): CliProcess {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-cli-'));
  const child = spawn(process.execPath, [RAIN, ...words], {
    cwd: folder,
    env: bareEnvironment(env, folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  processes.add(child);
  const done = once(child, 'close').then(([code]) => {
    processes.delete(child);
    rmSync(folder, { recursive: true, force: true });
    return { exit: (code as number | null) ?? -1, stdout, stderr };
  });
  return { child, stdout: () => stdout, stderr: () => stderr, done };
}
