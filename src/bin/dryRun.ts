import type { Command } from 'commander';
import { print } from './exit.ts';
import { paint } from './colours.ts';
import type { Terminal } from './terminal.ts';

/** For every verb that moves money, or sends it on its way. */
export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'say what would be done, or why not, and do nothing');
}

/** The answer of a dry run: nobody is to take it for the deed. */
export function printDryRun(terminal: Terminal, json: boolean | undefined, value: object, text: string): void {
  print(terminal, json, { dryRun: true, ...value }, `${text}\n${paint.quiet('a dry run: nothing was done')}`);
}
