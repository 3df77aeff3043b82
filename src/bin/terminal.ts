import type { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readEnvironment } from '../platform/config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** The streams and settings of a command: those of its process, or those of a test. */
export interface Terminal {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
  /** Base of relative paths on the command line. */
  readonly folder: string;
  /** Exit code of a command that ran to its end. A thrown error has its own exit code. */
  exitCode: number;
  /** Calls `listener` on Ctrl-C or SIGTERM. @returns removes the listener; without one a signal ends the process */
  onInterrupt(listener: () => void): () => void;
}

export function processTerminal(): Terminal {
  return {
    // Opened on first use: most commands read nothing.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    environment: readEnvironment(),
    folder: process.cwd(),
    exitCode: 0,
    onInterrupt(listener) {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener);
      return () => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, listener);
      };
    },
  };
}

/** Runs work that Ctrl-C or SIGTERM ends: both abort the signal that the work receives. */
export async function interruptibly<T>(
  { onInterrupt }: Terminal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interrupted = new AbortController();
  const off = onInterrupt(() => interrupted.abort(new Error('ended by a signal')));
  try {
    return await work(interrupted.signal);
  } finally {
    off();
  }
}

/** Writes rows to stdout with back-pressure. @returns false if the reader closed the output before the end */
export async function pour({ stdout }: Terminal, rows: Readable, ...through: readonly Transform[]): Promise<boolean> {
  try {
    await pipeline([rows, ...through, stdout], { end: false });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    return false;
  }
}
