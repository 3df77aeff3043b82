import { inspect } from 'node:util';
import { explain, notify } from './exit.ts';
import { paint } from './colours.ts';
import { openProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs one command, from the words after `rain` to the last line of its output. Several may run in one process, each with its own
 * terminal.
 * @returns the exit code; a server continues to run after the return
 */
export async function runCommandLine(terminal: Terminal, words: readonly string[]): Promise<number> {
  try {
    await (await openProgram(words[0], terminal)).parseAsync(words, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    const { exit, reasons, printed } = explain(error);
    if (words.includes('--json') && reasons.length > 0) terminal.stdout.write(`${JSON.stringify({ ok: false, exit, reasons })}\n`);
    if (!printed) for (const reason of reasons) notify(terminal, `${paint.error('rain:')} ${reason}`);
    if (terminal.environment['LOG_LEVEL'] === 'debug') notify(terminal, inspect(error));
    return exit;
  }
}
