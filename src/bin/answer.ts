import { CommanderError } from 'commander';
import { tellRefusal, type Refusal } from '../rain/refusal.ts';
import { isAway } from '../runtime/away.ts';
import { ConfigError } from '../runtime/config.ts';

/** What a command's exit code says to a script. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const;
export type Exit = (typeof EXIT)[keyof typeof EXIT];

/** Ends a command with one sentence per line instead of a stack trace. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
  readonly exit: Exit;
  readonly reasons: string[];
  constructor(exit: Exit, ...reasons: string[]) {
    super(reasons.join('\n'));
    this.exit = exit;
    this.reasons = reasons;
  }
}

export const unreachable = (reason: string): CommandFailure => new CommandFailure(EXIT.unreachable, reason);

/** A verb's refusals, each with its field. */
export function refused({ refusals }: { refusals: readonly Refusal[] }): CommandFailure {
  return new CommandFailure(EXIT.refused, ...refusals.map(tellRefusal));
}

/** Any error → exit code and sentences; `said`: stderr has them already. */
export function explain(error: unknown): { exit: Exit; reasons: string[]; said?: true } {
  if (error instanceof CommandFailure) return { exit: error.exit, reasons: error.reasons };
  if (error instanceof ConfigError) return { exit: EXIT.usage, reasons: error.problems };
  // Help and the version that were asked for are no failure.
  if (error instanceof CommanderError) return error.exitCode === 0 ? { exit: EXIT.done, reasons: [], said: true } : { exit: EXIT.usage, reasons: [misused(error)], said: true };
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE') return { exit: EXIT.refused, reasons: [`port ${port} of ${address} is in use; end what uses it or choose another with GATEWAY_PORT or CONSOLE_PORT`] };
  if (code === 'EACCES' && port !== undefined) return { exit: EXIT.refused, reasons: [`port ${port} of ${address} may not be opened by this user; choose one above 1023 with GATEWAY_PORT or CONSOLE_PORT`] };
  const message = error instanceof Error ? error.message : String(error);
  return { exit: isAway(error) ? EXIT.unreachable : EXIT.refused, reasons: [message.trim().split('\n').at(-1)!.trim() || String(error)] };
}

/** Commander's sentence, on one line. */
function misused({ message }: CommanderError): string {
  return message.replace(/^error: /, '').replaceAll('\n', ' ');
}

/** A command's answer: one JSON value for machines, or text for people. */
export function print(json: boolean | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** What is told on the way goes to stderr: stdout belongs to the answer. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** How often a command that watches prints anew. */
export const REFRESH_MS = 1_000;

/** Rows under their headings, numbers to the right. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => width(row[column]!))));
  const right = headings.map((_, column) => rows.length > 0 && rows.every((row) => /^-?[\d.,]+$/.test(String(row[column]))));
  return cells.map((row) => row.map((cell, column) => {
    const space = ' '.repeat(widths[column]! - width(cell));
    return right[column] ? space + cell : cell + space;
  }).join('  ').trimEnd()).join('\n');
}

/** Columns of a terminal: East Asian characters take two. */
function width(text: string): number {
  return [...text].reduce((sum, letter) => sum + (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(letter) ? 2 : 1), 0);
}
