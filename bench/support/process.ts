import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A child process of the bench. It ends when the IPC channel to the bench ends. */
export interface Program {
  pid: number;
  /** Its first message: that it is ready, with its address. */
  said: unknown;
  ask(order: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** Folder for processor profiles of each program, if set: for Chromium's DevTools, or any reader of .cpuprofile. */
const PROFILES = process.env['BENCH_PROFILES'];

/** A program of this folder, e.g. `baselines/echo.ts`, or a compiled one. */
export async function startProgram(path: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Program> {
  const child = fork(fileURLToPath(new URL(`../${path}`, import.meta.url)), args, {
    execArgv: [...(path.endsWith('.ts') ? ['--import', 'tsx'] : []), ...(PROFILES === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`])], env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const says = async (): Promise<unknown> => {
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
      return (await Promise.race([once(child, 'message', { signal }), ended.then(([code, by]) => { throw new Error(`${path} ended by itself: ${String(code ?? by)}`); })]))[0];
    } finally {
      waiting.abort();
    }
  };
  return {
    pid: child.pid!,
    said: await says(),
    async ask(order) {
      const reply = says();
      child.send(order);
      return reply;
    },
    async stop() {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await ended;
      clearTimeout(late);
    },
  };
}
