import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Folder for processor profiles of each program, if set: for Chromium's DevTools, or any reader of .cpuprofile. */
const PROFILES = process.env['BENCH_PROFILES'];

export type Program = Awaited<ReturnType<typeof startProgram>>;

/**
 * A program of this folder, or a compiled one. It ends with the IPC channel. `said`: its first message, with its
 * address.
 */
export async function startProgram(path: string, args: readonly string[], env: Record<string, string>) {
  const child = fork(fileURLToPath(new URL(`../${path}`, import.meta.url)), args, {
    execArgv: [
      ...(path.endsWith('.ts') ? ['--import', 'tsx'] : []),
      ...(PROFILES === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${PROFILES}`]),
    ],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit');
  const says = async (): Promise<unknown> => {
    const waiting = new AbortController();
    const { signal } = waiting;
    try {
      return (
        await Promise.race([
          once(child, 'message', { signal }),
          ended.then(([code, by]) => {
            throw new Error(`${path} ended by itself: ${String(code ?? by)}`);
          }),
        ])
      )[0];
    } finally {
      waiting.abort();
    }
  };
  return {
    pid: child.pid!,
    said: await says(),
    async ask(order: object): Promise<unknown> {
      const reply = says();
      child.send(order);
      return reply;
    },
    async stop(): Promise<void> {
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 3_000);
      await ended;
      clearTimeout(late);
    },
  };
}
