import { asyncApi } from '../../protocol/asyncapi.ts';
import { codes, codesMarkdown } from '../../protocol/describe.ts';
import { gatewayApi } from '../../protocol/gatewayApi.ts';
import { fieldsMarkdown } from '../../protocol/fields.ts';
import type { RainCommand } from '../command.ts';
import { print } from '../exit.ts';

/** The commands that print a document made from the code; they need no server. */
export function addDocumentCommands(program: RainCommand): void {
  program
    .command('codes')
    .summary('every code that a client may receive')
    .description('Prints every result, error, close and refusal code with its meaning, as in docs/reference/codes.md.')
    .json()
    .example('rain codes --json')
    .runs(() => ({ value: codes(), text: codesMarkdown() }));

  program
    .command('protocol')
    .summary('the protocol of players and buyers, for client authors')
    .description(
      'Prints every message with its fields, as in docs/reference/messages.md; with --asyncapi the AsyncAPI 3 document, as in docs/reference/asyncapi.json; with --openapi how to buy over HTTP, as in docs/reference/gateway-openapi.json.',
    )
    .option('--asyncapi', 'print the AsyncAPI document')
    .option('--openapi', 'print the OpenAPI document of buying over HTTP')
    .json('the same as --asyncapi')
    .example('rain protocol --asyncapi > asyncapi.json')
    .runs(({ asyncapi, openapi, json }: { asyncapi?: boolean; openapi?: boolean; json?: boolean }) => {
      if (openapi) return print(program.terminal, false, undefined, JSON.stringify(gatewayApi('1'), null, 2));
      return print(
        program.terminal,
        false,
        undefined,
        asyncapi || json ? JSON.stringify(asyncApi('1'), null, 2) : fieldsMarkdown(),
      );
    });

  program
    .command('manual', { hidden: true })
    .summary('this manual, as Markdown')
    .description('Prints every command with its options and examples as Markdown: docs/reference/cli.md.')
    .example('rain manual')
    .runs(async () => {
      const { manual } = await import('../manual.ts');
      program.terminal.stdout.write(manual(program));
    });
}
