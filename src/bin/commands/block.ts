import { Argument, type Command } from 'commander';
import type { Block, BlockKind } from '../../store/blocks.ts';
import { blockCaller, liftCallerBlock, listBlocks } from '../../operator/block.ts';
import { iso } from '../../rain/figures.ts';
import { accepted, print } from '../exit.ts';
import { withContext } from '../context.ts';
import { parseDuration } from '../time.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const KIND = () => new Argument('<kind>', 'a user, by the sub of the token, or an address or network').choices(['user', 'address']);

interface BlockFlags {
  reason: string;
  for?: number;
  json?: boolean;
}

export function addBlockCommands(program: Command, terminal: Terminal): void {
  program.command('block').summary('keep a user or an address away')
    .description('Keeps a user, or everybody of an address or network, away from all gateways within a second. What was won before is credited all the same.')
    .addArgument(KIND()).argument('<who>', 'the user, or an address such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48')
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .option('--for <duration>', 'how long; without it until it is lifted', parseDuration)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain block address 203.0.113.0/24 --reason "a farm of phones" --for 2h')
    .action((kind: BlockKind, who: string, { reason, for: forMs, json }: BlockFlags) => withContext(terminal, async (context) => {
      const done = accepted(await blockCaller(context, kind, who, { reason, ...(forMs !== undefined && { forMs }) }));
      print(terminal, json, done.block, `${kind} ${done.block.who}: blocked ${untilText(done.block)}`);
    }));

  program.command('unblock').summary('let them in again').description('Lifts a block, at once.')
    .addArgument(KIND()).argument('<who>', 'as it was blocked')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain unblock user alice')
    .action((kind: BlockKind, who: string, { json }: { json?: boolean }) => withContext(terminal, async (context) => {
      const done = accepted(await liftCallerBlock(context, kind, who));
      print(terminal, json, done.block, `${kind} ${done.block.who}: may come in again`);
    }));

  program.command('blocks').summary('who is blocked').description('Lists the blocks in force, the latest first.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain blocks')
    .action(({ json }: { json?: boolean }) => withContext(terminal, async (context) => {
      const blocks = await listBlocks(context);
      print(terminal, json, blocks, blocks.length === 0 ? 'nobody is blocked' : table(['kind', 'who', 'until', 'since', 'by', 'reason'],
        blocks.map((block) => [block.kind, block.who, block.until === undefined ? 'lifted' : iso(block.until), iso(block.since), block.actor, block.reason])));
    }));
}

function untilText({ until }: Block): string {
  return until === undefined ? 'until it is lifted' : `until ${iso(until)}`;
}
