import type { Readable, Transform, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { readEnvironment } from '../platform/config.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Output = Writable & { isTTY?: boolean; columns?: number };

/** What a command reads from and answers to: the streams and settings of its process, or those that a test hands in. */
export interface Terminal {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Output;
  readonly stderr: Output;
  readonly environment: Environment;
  /** Where the relative paths of a command line begin. */
  readonly folder: string;
  /** Of a command that ran to its end and yet has bad news; what is thrown brings its own. */
  exitCode: number;
  /** Has `listener` called by Ctrl-C or SIGTERM. @returns what takes it back: without a listener a signal ends the process */
  onInterrupt(listener: () => void): () => void;
}

export function processTerminal(): Terminal {
  return {
    // Opened when it is read: most commands read nothing.
    get stdin() { return process.stdin; },
    stdout: process.stdout, stderr: process.stderr, environment: readEnvironment(), folder: process.cwd(), exitCode: 0,
    onInterrupt(listener) {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, listener);
      return () => { for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, listener); };
    },
  };
}

/** Does something that Ctrl-C or SIGTERM asks to end, by aborting its signal. */
export async function interruptibly<T>({ onInterrupt }: Terminal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const off = onInterrupt(() => interrupted.abort(new Error('ended by a signal')));
  try {
    return await work(interrupted.signal);
  } finally {
    off();
  }
}

/** Writes rows as fast as they are taken. @returns false: the reader has stopped before the end */
export async function pour({ stdout }: Terminal, rows: Readable, ...through: readonly Transform[]): Promise<boolean> {
  try {
    await pipeline([rows, ...through, stdout], { end: false });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
    return false;
  }
}
