import type { Command } from 'commander';
import { codes, codesMarkdown } from '../../protocol/describe.ts';
import { print } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export function addCodesCommand(program: Command, terminal: Terminal): void {
  program.command('codes').summary('every code that a client may receive')
    .description('Prints every result, error, close and refusal code with its meaning, as in docs/reference/codes.md.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain codes --json')
    .action(({ json }: { json?: boolean }) => print(terminal, json, codes(), codesMarkdown()));
}
