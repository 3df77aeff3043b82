import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/bin/program.ts';
import { SIGNING_SECRET } from './signer.ts';
import type { Output, Terminal } from '../../src/bin/terminal.ts';

export interface CliRun {
  exit: number;
  stdout: string;
  stderr: string;
}

/** A command that runs. */
export interface Running {
  /** Its output so far. */
  stdout(): string;
  stderr(): string;
  done: Promise<CliRun>;
}

interface CliCall extends Running {
  /** The effect of Ctrl-C on a process. */
  interrupt(): void;
}

/** The terminal that somebody sits at, or the pipe in its place. */
interface Surroundings {
  stdin?: string | Terminal['stdin'];
  /** The kind of the output. */
  isTTY?: boolean;
  /** The words are refused before anything is started. */
  misused?: boolean;
}

/** They take the signals of their process, and end it. */
const PROCESSES = ['up', 'gateway', 'worker', 'console'];

/** An environment that knows nothing of the developer's own: no .env, no running system, only what the test gives. */
export function bareEnvironment(env: Record<string, string>, folder: string): Record<string, string> {
  return { PATH: process.env['PATH']!, HOME: folder, RAIN_HOME: join(folder, '.rain'), SIGNING_SECRET, ...env };
}

/** Runs `rain` inside the test's process, at a terminal of its own, in an empty folder. */
export function callCli(
  words: readonly string[],
  env: Record<string, string> = {},
  { stdin = '', isTTY = false, misused = false }: Surroundings = {},
): CliCall {
  if (!misused && PROCESSES.includes(words[0]!) && !words.includes('--help'))
    throw new Error(`rain ${words[0]} takes the signals of its process, start one with startCli`);
  const folder = mkdtempSync(join(tmpdir(), 'rain-test-cli-'));
  const [stdout, stderr] = [collect(isTTY), collect(isTTY)];
  const listeners = new Set<() => void>();
  const running = runCommandLine(
    {
      stdin:
        typeof stdin === 'string'
          ? Readable.from(stdin === '' ? [] : [Buffer.from(stdin)], { objectMode: false })
          : stdin,
      stdout: stdout.stream,
      stderr: stderr.stream,
      environment: bareEnvironment(env, folder),
      folder,
      exitCode: 0,
      onInterrupt(listener) {
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      },
    },
    words,
  );
  const done = running
    .finally(() => rmSync(folder, { recursive: true, force: true }))
    .then((exit) => ({ exit, stdout: stdout.text(), stderr: stderr.text() }));
  return {
    stdout: stdout.text,
    stderr: stderr.text,
    done,
    interrupt: () => {
      for (const listener of listeners) listener();
    },
  };
}

export const rain = (words: readonly string[], env: Record<string, string> = {}, stdin = ''): Promise<CliRun> =>
  callCli(words, env, { stdin }).done;

function collect(isTTY: boolean): { stream: Output; text: () => string } {
  let text = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return { stream: Object.assign(stream, { isTTY }), text: () => text };
}
