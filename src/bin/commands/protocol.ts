import type { Command } from 'commander';
import { asyncApi } from '../../protocol/asyncapi.ts';
import { fieldsMarkdown } from '../../protocol/fields.ts';
import { print } from '../exit.ts';
import type { Terminal } from '../terminal.ts';

export function addProtocolCommand(program: Command, terminal: Terminal): void {
  program.command('protocol').summary('the WebSocket protocol, for client authors')
    .description('Prints every message with its fields, as in docs/reference/messages.md; with --asyncapi the AsyncAPI 3 document, as in docs/reference/asyncapi.json.')
    .option('--asyncapi', 'print the AsyncAPI document')
    .option('--json', 'the same as --asyncapi')
    .addHelpText('after', '\nExample:\n  rain protocol --asyncapi > asyncapi.json')
    .action(({ asyncapi, json }: { asyncapi?: boolean; json?: boolean }) => {
      if (!asyncapi && !json) return print(terminal, false, undefined, fieldsMarkdown());
      terminal.stdout.write(`${JSON.stringify(asyncApi('1'), null, 2)}\n`);
    });
}
