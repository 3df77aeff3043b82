import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A child of the bench. Its channel to us is also its life line: when we end, it ends. */
export interface Program {
  pid: number;
  /** What it told first: that it is ready, and where. */
  said: unknown;
  ask(order: object): Promise<unknown>;
  stop(): Promise<void>;
}

/** Where each program leaves a profile of its processor time, if anywhere: for Chromium's DevTools, or any reader of .cpuprofile. */
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
