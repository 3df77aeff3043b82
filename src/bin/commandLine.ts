import { inspect } from 'node:util';
import { notify, reportFailure } from './exit.ts';
import { openProgram } from './program.ts';
import type { Terminal } from './terminal.ts';

/** Runs one command, given the words after `rain`. @returns the exit code; a server continues to run after the return */
export async function runCommandLine(terminal: Terminal, words: readonly string[]): Promise<number> {
  try {
    await (await openProgram(words[0], terminal)).parseAsync(words, { from: 'user' });
    return terminal.exitCode;
  } catch (error) {
    const exit = reportFailure(terminal, error, words.includes('--json'));
    if (terminal.environment['LOG_LEVEL'] === 'debug') notify(terminal, inspect(error));
    return exit;
  }
}
