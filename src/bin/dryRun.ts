import type { Command } from 'commander';
import { print } from './exit.ts';
import { paint } from './colours.ts';
import type { Terminal } from './terminal.ts';

/** For every command that moves money or causes a movement of money. */
export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'report what would be done, or why not, and change nothing');
}

/** The last line marks the dry run, so that nobody takes it for the action. */
export function printDryRun(terminal: Terminal, json: boolean | undefined, value: object, text: string): void {
  print(terminal, json, { dryRun: true, ...value }, `${text}\n${paint.quiet('dry run: nothing was changed')}`);
}
