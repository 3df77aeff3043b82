import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const RAIN = fileURLToPath(new URL('../../dist/bin/rain.js', import.meta.url));

export interface CliRun {
  exit: number;
  stdout: string;
  stderr: string;
}

export interface CliProcess {
  child: ChildProcess;
  /** What it has printed so far. */
  stdout(): string;
  stderr(): string;
  done: Promise<CliRun>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => { for (const child of running) child.kill('SIGKILL'); });

/** An environment that knows nothing of the developer's own: no .env, no running system, only what the test gives. */
function bare(env: Record<string, string>, folder: string): Record<string, string> {
  return { PATH: process.env['PATH']!, HOME: folder, RAIN_HOME: join(folder, '.rain'), ...env };
}

/** Starts the compiled `rain`, as an operator would, in an empty folder. */
export function startCli(args: readonly string[], env: Record<string, string> = {}): CliProcess {
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-cli-'));
  const child = spawn(process.execPath, [RAIN, ...args], { cwd: folder, env: bare(env, folder), stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => { stdout += String(chunk); });
  child.stderr.on('data', (chunk) => { stderr += String(chunk); });
  running.add(child);
  const done = once(child, 'close').then(([code]) => {
    running.delete(child);
    rmSync(folder, { recursive: true, force: true });
    return { exit: (code as number | null) ?? -1, stdout, stderr };
  });
  return { child, stdout: () => stdout, stderr: () => stderr, done };
}

export const rain = (args: readonly string[], env: Record<string, string> = {}): Promise<CliRun> => startCli(args, env).done;
