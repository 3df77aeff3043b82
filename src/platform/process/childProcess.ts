import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import type { z } from 'zod';
import { childEnvironment } from '../config.ts';
import type { HomeLock } from './homeLock.ts';
import { openLogFile } from '../telemetry/logFile.ts';
import { childMessage } from './ipc.ts';
import { SERVER_DEADLINE_MS } from './shutdown.ts';

export interface ChildOptions<Facts> {
  /** For sentences and for the log file's name, e.g. `gateway`. */
  name: string;
  /** A compiled Node entry, see `compiledEntry`. */
  entry: string;
  args?: readonly string[];
  /** Added to this process's environment; `undefined` takes a variable out of it. */
  env?: Record<string, string | undefined>;
  /** Folder in which `<name>.log` collects what the child prints. */
  logs: string;
  /** What the child says of itself when it is ready. */
  facts: z.ZodType<Facts>;
  /** Notes the child, so that whoever starts after a kill -9 of this process can wait for its end. */
  lock?: HomeLock | undefined;
  readyWithinMs?: number;
  /** From SIGTERM to SIGKILL; later than the child's own deadline unless told otherwise. */
  stopWithinMs?: number;
}

export interface ChildEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** `stop()` had been called. What was not asked for is for the caller to report. */
  expected: boolean;
}

export interface Child<Facts> {
  name: string;
  pid: number;
  facts: Facts;
  ended: Promise<ChildEnd>;
  /** SIGTERM, and SIGKILL after `stopWithinMs`; resolves when the process is gone. Harmless to repeat. */
  stop(): Promise<void>;
  /** What it printed last, for the end of a sentence; see `logFile.ts`. */
  lastLine(): string;
}

/** What its own deadline cannot end within this is stuck for good. */
const STOP_WITHIN_MS = SERVER_DEADLINE_MS + 2_000;

export type StartedChild<Facts> = { ok: true; child: Child<Facts> } | { ok: false; reason: string };

/**
 * Starts a Node process and waits until it says that it is ready. It leads a process group of its own, so that Ctrl-C in
 * the terminal reaches its parent only, which can then stop things in order; it ends itself when the parent is gone.
 * @returns a reason, one sentence, when it ended, failed or kept silent instead; it is no longer running then
 */
export async function startChild<Facts>(options: ChildOptions<Facts>): Promise<StartedChild<Facts>> {
  const { name, entry, args = [], env = {}, logs, facts, lock, readyWithinMs = 30_000, stopWithinMs = STOP_WITHIN_MS } = options;
  const log = openLogFile(logs, name);
  const process = fork(entry, args, {
    detached: true, execArgv: [], env: childEnvironment(env), stdio: ['ignore', log.descriptor, log.descriptor, 'ipc'],
  });
  closeSync(log.descriptor);
  let expected = false;
  const ended = new Promise<ChildEnd>((resolve) => {
    process.once('exit', (code, signal) => resolve({ code, signal, expected }));
    process.once('error', () => { if (process.pid === undefined) resolve({ code: null, signal: null, expected }); });
  });
  const stop = async () => {
    expected = true;
    process.kill('SIGTERM');
    const late = setTimeout(() => process.kill('SIGKILL'), stopWithinMs);
    await ended;
    clearTimeout(late);
  };
  if (process.pid !== undefined) lock?.adopt(process.pid);
  const waiting = new AbortController();
  const { signal } = waiting;
  const answer = await Promise.race([
    once(process, 'message', { signal }).then(([message]) => readAnswer(message, facts)),
    ended.then((end) => `it ended with ${describeEnd(end)}${log.lastLine()}`),
    new Promise<string>((resolve) => {
      const timer = setTimeout(() => resolve(`it was not ready within ${readyWithinMs / 1_000} s${log.lastLine()}`), readyWithinMs);
      signal.addEventListener('abort', () => clearTimeout(timer));
    }),
  ]);
  waiting.abort();
  if (typeof answer === 'string') {
    await stop();
    return { ok: false, reason: `the ${name} process did not start: ${answer}` };
  }
  return { ok: true, child: { name, pid: process.pid!, facts: answer.facts, ended, stop, lastLine: log.lastLine } };
}

function readAnswer<Facts>(message: unknown, facts: z.ZodType<Facts>): { facts: Facts } | string {
  const parsed = childMessage.safeParse(message);
  if (!parsed.success) return 'it did not say what was expected of it';
  if ('failed' in parsed.data) return String(parsed.data.failed);
  const checked = facts.safeParse(parsed.data);
  return checked.success ? { facts: checked.data } : 'it did not say what was expected of it';
}

export function describeEnd(end: Pick<ChildEnd, 'code' | 'signal'>): string {
  return end.signal ? `signal ${end.signal}` : `exit code ${end.code}`;
}
