import { CommanderError } from 'commander';
import type { Refused } from '../operator/context.ts';
import { tellRefusal } from '../rain/refusal.ts';
import { isUnavailable, lastLine } from '../platform/redis/unavailable.ts';
import { ConfigError } from '../platform/config.ts';
import { wantsPaint, withoutPaint } from './colours.ts';
import type { Output, Terminal } from './terminal.ts';

/** What a command's exit code says to a script. */
export const EXIT = { done: 0, refused: 1, usage: 2, unreachable: 3 } as const;
type Exit = (typeof EXIT)[keyof typeof EXIT];

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

/** What a verb has done. @throws CommandFailure with the verb's refusals, when it has not */
export function accepted<Done extends { ok: true }>(done: Done | Refused): Done {
  if (!done.ok) throw new CommandFailure(EXIT.refused, ...done.refusals.map(tellRefusal));
  return done;
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
  return { exit: isUnavailable(error) ? EXIT.unreachable : EXIT.refused, reasons: [lastLine(error) || String(error)] };
}

/** Commander's sentence, on one line. */
function misused({ message }: CommanderError): string {
  return message.replace(/^error: /, '').replaceAll('\n', ' ');
}

/** A command's answer: one JSON value for machines, or text for people. */
export function print(terminal: Terminal, json: boolean | undefined, value: unknown, text: string): void {
  terminal.stdout.write(`${json ? JSON.stringify(value) : painted(terminal, terminal.stdout, text)}\n`);
}

/** What is told on the way goes to stderr: stdout belongs to the answer. */
export function tell(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${painted(terminal, terminal.stderr, text)}\n`);
}

function painted(terminal: Terminal, stream: Output, text: string): string {
  return wantsPaint(terminal, stream) ? text : withoutPaint(text);
}

/** Where a person looks on, so that what is printed anew stands where the old was. */
export function clearScreen({ stdout }: Terminal): void {
  if (stdout.isTTY) stdout.write('\x1b[H\x1b[2J');
}

/** How often a command that watches prints anew. */
export const REFRESH_MS = 1_000;
