import { CommanderError } from 'commander';
import type { Refused } from '../operator/context.ts';
import { formatRefusal, type Refusal } from '../rain/refusal.ts';
import { isUnavailable, lastLine } from '../platform/redis/unavailable.ts';
import { ConfigError } from '../platform/config.ts';
import { harmless, paint, wantsPaint, withoutPaint } from './style.ts';
import type { Output, Terminal } from './terminal.ts';

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

/** An action was refused, field by field. */
export class ActionRefused extends CommandFailure {
  override name = 'ActionRefused';
  readonly #refusals: readonly Refusal[];
  constructor(refusals: readonly Refusal[]) {
    super(EXIT.refused, ...refusals.map(formatRefusal));
    this.#refusals = refusals;
  }

  /** @param nameOf field → what the operator types */
  named(nameOf: (field: string) => string): ActionRefused {
    return new ActionRefused(this.#refusals.map(({ field, reason }) => ({ field: nameOf(field), reason })));
  }
}

export const unreachable = (reason: string): CommandFailure => new CommandFailure(EXIT.unreachable, reason);

/** The result of an accepted action. @throws ActionRefused; the command names its options in it as they are typed */
export function accepted<Done extends { ok: true }>(done: Done | Refused): Done {
  if (!done.ok) throw new ActionRefused(done.refusals);
  return done;
}

/**
 * The same where options are not named as the fields of the request are.
 * @param typed field, or the first word of it → what the operator types
 */
export function acceptedAs<Done extends { ok: true }>(
  done: Done | Refused,
  typed: Readonly<Record<string, string>> | ((field: string) => string),
): Done {
  const nameOf =
    typeof typed === 'function' ? typed : (field: string) => typed[field] ?? typed[field.split('.')[0]!] ?? field;
  if (!done.ok) throw new ActionRefused(done.refusals).named(nameOf);
  return done;
}

/** Any error → exit code and sentences. `printed`: Commander has written them to stderr already. */
export function explain(error: unknown): { exit: Exit; reasons: string[]; printed?: true } {
  if (error instanceof CommandFailure) return { exit: error.exit, reasons: error.reasons };
  if (error instanceof ConfigError) return { exit: EXIT.usage, reasons: error.problems };
  if (error instanceof CommanderError) {
    // Also thrown after --help and --version, which are no failures.
    if (error.exitCode === 0) return { exit: EXIT.done, reasons: [], printed: true };
    return { exit: EXIT.usage, reasons: [error.message.replace(/^error: /, '').replaceAll('\n', ' ')], printed: true };
  }
  const { code, port, address } = error as NodeJS.ErrnoException & { port?: number; address?: string };
  if (code === 'EADDRINUSE')
    return {
      exit: EXIT.refused,
      reasons: [
        `port ${port} of ${address} is in use; stop the program that uses it, or choose another port with GATEWAY_PORT or CONSOLE_PORT`,
      ],
    };
  if (code === 'EACCES' && port !== undefined)
    return {
      exit: EXIT.refused,
      reasons: [
        `port ${port} of ${address} may not be opened by this user; choose a port above 1023 with GATEWAY_PORT or CONSOLE_PORT`,
      ],
    };
  return { exit: isUnavailable(error) ? EXIT.unreachable : EXIT.refused, reasons: [lastLine(error) || String(error)] };
}

/** Prints the sentences of an error, with `--json` also as one JSON value. @returns its exit code */
export function reportFailure(terminal: Terminal, error: unknown, json: boolean | undefined): Exit {
  const { exit, reasons, printed } = explain(error);
  if (json && reasons.length > 0) print(terminal, json, { ok: false, exit, reasons }, '');
  if (!printed) for (const reason of reasons) notify(terminal, `${paint.error('rain:')} ${reason}`);
  return exit;
}

export function print(terminal: Terminal, json: boolean | undefined, value: unknown, text: string): void {
  terminal.stdout.write(`${json ? JSON.stringify(value) : painted(terminal, terminal.stdout, text)}\n`);
}

/** Progress and errors go to stderr: stdout is only for the answer. */
export function notify(terminal: Terminal, text: string): void {
  terminal.stderr.write(`${painted(terminal, terminal.stderr, text)}\n`);
}

function painted(terminal: Terminal, stream: Output, text: string): string {
  return harmless(wantsPaint(terminal, stream) ? text : withoutPaint(text));
}

/** On a terminal, clears the screen before the next print of a watching command. */
export function clearScreen({ stdout }: Terminal): void {
  if (stdout.isTTY) stdout.write('\x1b[H\x1b[2J');
}

/** How often a watching command prints, ms. */
export const REFRESH_MS = 1_000;
