import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

export interface RunningScript {
  process: ChildProcess;
  pid: number;
  /** The next line it prints to stdout; rejects when it ends without one. */
  nextLine(): Promise<string>;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Runs a script of this folder's tests with Node; what still runs when the test is over is killed. */
export function runScript(url: URL, args: string[] = [], env: Record<string, string> = {}): RunningScript {
  const child = spawn(process.execPath, [fileURLToPath(url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }));
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    process: child,
    pid: child.pid!,
    async nextLine() {
      const line = await lines.next();
      if (line.done) throw new Error('it ended without a further line');
      return line.value;
    },
    ended,
  };
}
