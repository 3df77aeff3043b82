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
  /** For messages and for the name of the log file, e.g. `gateway`. */
  name: string;
  /** A compiled Node entry, see `compiledEntry`. */
  entry: string;
  args?: readonly string[];
  /** Changes to the environment of this process; `undefined` removes a variable. */
  env?: Record<string, string | undefined>;
  /** Folder of `<name>.log`, which receives the output of the child. */
  logs: string;
  /** Schema of the child's ready message. */
  facts: z.ZodType<Facts>;
  /** Records the child: after a kill -9 of this process, the next start waits for the end of the child. */
  lock?: HomeLock | undefined;
  readyWithinMs?: number;
  /** Time from SIGTERM to SIGKILL, ms; by default longer than the child's own deadline. */
  stopWithinMs?: number;
}

export interface ChildEnd {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** Whether `stop()` was called. The caller reports an unexpected end. */
  expected: boolean;
}

export interface Child<Facts> {
  name: string;
  pid: number;
  facts: Facts;
  ended: Promise<ChildEnd>;
  /** SIGTERM, and SIGKILL after `stopWithinMs`; resolves when the process is gone. Harmless to repeat. */
  stop(): Promise<void>;
  /** Its last output line, for the end of a message; see `logFile.ts`. */
  lastLine(): string;
}

/** A child that outlives its own deadline by this much will not end by itself, ms. */
const STOP_WITHIN_MS = SERVER_DEADLINE_MS + 2_000;

export type StartedChild<Facts> = { ok: true; child: Child<Facts> } | { ok: false; reason: string };

/**
 * Starts a Node process and waits for its ready message. The child has its own process group, so that Ctrl-C in the terminal reaches
 * only this process, which then stops its children in order. A child ends itself when its parent is gone.
 * @returns a reason, one sentence, when the child ended, failed or sent no message; it is no longer running then
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
    once(process, 'message', { signal }).then(([message]) => parseReady(message, facts)),
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

function parseReady<Facts>(message: unknown, facts: z.ZodType<Facts>): { facts: Facts } | string {
  const parsed = childMessage.safeParse(message);
  if (!parsed.success) return 'it sent an unexpected message';
  if ('failed' in parsed.data) return String(parsed.data.failed);
  const checked = facts.safeParse(parsed.data);
  return checked.success ? { facts: checked.data } : 'it sent an unexpected message';
}

export function describeEnd(end: Pick<ChildEnd, 'code' | 'signal'>): string {
  return end.signal ? `signal ${end.signal}` : `exit code ${end.code}`;
}
