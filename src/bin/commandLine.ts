import { inspect } from 'node:util';
import { explain, tell } from './exit.ts';
import { paint } from './colours.ts';
import { openProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/**
 * Runs one command, from the words behind `rain` to the last line of its answer. Several may run in one process, each at a terminal
 * of its own.
 * @returns the exit code; a server goes on serving behind it
 */
export async function runCommandLine(terminal: Terminal, words: readonly string[]): Promise<number> {
  try {
    await (await openProgram(words[0], terminal)).parseAsync(words, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    const { exit, reasons, said } = explain(error);
    if (words.includes('--json') && reasons.length > 0) terminal.stdout.write(`${JSON.stringify({ ok: false, exit, reasons })}\n`);
    if (!said) for (const reason of reasons) tell(terminal, `${paint.complaint('rain:')} ${reason}`);
    if (terminal.environment['LOG_LEVEL'] === 'debug') tell(terminal, inspect(error));
    return exit;
  }
}
