import { fork } from 'node:child_process';
import { closeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { childEnvironment } from '../config.ts';
import { openLogFile } from '../telemetry/logFile.ts';
import type { HomeLock } from './homeLock.ts';
import { readReady } from './ipc.ts';
import { ROOT } from './root.ts';
import { SERVER_DEADLINE_MS } from './shutdown.ts';

export interface ChildOptions<Facts> {
  /** For messages and the log file, e.g. `gateway`. */
  name: string;
  /** See `compiledEntry`. */
  entry: string;
  args?: readonly string[];
  /** Changes to our environment; `undefined` removes a variable. */
  env?: Record<string, string | undefined>;
  /** Folder of `<name>.log`, which receives the output of the child. */
  logs: string;
  /** Schema of the child's ready message. */
  facts: z.ZodType<Facts>;
  /** Records the child: after a kill -9 of this process, the next start waits for the end of the child. */
  lock?: HomeLock | undefined;
  /** Ends a child that is not ready yet. */
  signal?: AbortSignal;
  /** Receives every few seconds why the child is not ready. */
  onWaiting?: (why: string) => void;
  /** Time from SIGTERM to SIGKILL, ms. */
  stopWithinMs?: number;
}

export interface ChildEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether `stop()` was called. */
  expected: boolean;
}

export interface Child<Facts> {
  name: string;
  pid: number;
  facts: Facts;
  ended: Promise<ChildEnd>;
  /** Resolves when the process is gone. Harmless to repeat. */
  stop(): Promise<void>;
  /** Its last output line, for the end of a message; see `logFile.ts`. */
  lastLine(): string;
}

export type StartedChild<Facts> = { ok: true; child: Child<Facts> } | { ok: false; reason: string };

/** A child that outlives its own deadline by this much will not end by itself, ms. */
const STOP_WITHIN_MS = SERVER_DEADLINE_MS + 2_000;

/** Path of a compiled file, e.g. `bin/rain.js`. */
export function compiledEntry(path: string): string {
  return fileURLToPath(new URL(`dist/${path}`, ROOT));
}

/**
 * Starts a Node process and waits for its ready message as long as it lives. It has its own process group, so that Ctrl-C reaches only this
 * process, which then stops its children in order. A child ends itself when its parent is gone.
 * @returns one sentence as the reason when the child sent no facts; it is no longer running then
 */
export async function startChild<Facts>(options: ChildOptions<Facts>): Promise<StartedChild<Facts>> {
  const {
    name,
    entry,
    args = [],
    env = {},
    logs,
    facts,
    lock,
    signal: giveUp,
    onWaiting = () => {},
    stopWithinMs = STOP_WITHIN_MS,
  } = options;
  const log = openLogFile(logs, name);
  const process = fork(entry, args, {
    detached: true,
    execArgv: [],
    env: childEnvironment(env),
    stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
  });
  closeSync(log.descriptor);
  let expected = false;
  const ended = new Promise<ChildEnd>((resolve) => {
    process.once('exit', (code, signal) => resolve({ code, signal, expected }));
    process.once('error', () => {
      if (process.pid === undefined) resolve({ code: null, signal: null, expected });
    });
  });
  const stop = async () => {
    expected = true;
    process.kill('SIGTERM');
    const late = setTimeout(() => process.kill('SIGKILL'), stopWithinMs);
    await ended;
    clearTimeout(late);
  };
  if (process.pid !== undefined) lock?.adopt(process.pid);
  const end = () => void stop();
  if (giveUp?.aborted) end();
  giveUp?.addEventListener('abort', end, { once: true });
  const answer = await readReady(
    process,
    facts,
    ended.then((how) => `it ended with ${describeEnd(how)}${log.lastLine()}`),
    onWaiting,
  );
  giveUp?.removeEventListener('abort', end);
  if (typeof answer === 'object')
    return { ok: true, child: { name, pid: process.pid!, ...answer, ended, stop, lastLine: log.lastLine } };
  await stop();
  return { ok: false, reason: `the ${name} process did not start: ${answer}` };
}

export function describeEnd(end: Pick<ChildEnd, 'code' | 'signal'>): string {
  return end.signal ? `signal ${end.signal}` : `exit code ${end.code}`;
}
