import { Argument, type Command } from 'commander';
import type { Block, BlockKind } from '../../store/blocks.ts';
import { blockCaller, liftCallerBlock, listBlocks } from '../../operator/block.ts';
import { iso } from '../../rain/figures.ts';
import { accepted, print } from '../exit.ts';
import { withContext } from '../context.ts';
import { parseDuration } from '../time.ts';
import { table } from '../table.ts';
import type { Terminal } from '../terminal.ts';

const KIND = () => new Argument('<kind>', 'a user (the sub of the token), or an IP address or network').choices(['user', 'address']);

interface BlockFlags {
  reason: string;
  for?: number;
  json?: boolean;
}

export function addBlockCommands(program: Command, terminal: Terminal): void {
  program.command('block').summary('block a user or an address')
    .description('Blocks a user, or all users of an address or network, at all gateways within a second. Packets won before the block are still credited.')
    .addArgument(KIND()).argument('<who>', 'the user, or an address such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48')
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .option('--for <duration>', 'how long; without it until it is removed', parseDuration)
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain block address 203.0.113.0/24 --reason "phone farm" --for 2h')
    .action((kind: BlockKind, who: string, { reason, for: forMs, json }: BlockFlags) => withContext(terminal, async (context) => {
      const done = accepted(await blockCaller(context, kind, who, { reason, ...(forMs !== undefined && { forMs }) }));
      print(terminal, json, done.block, `${kind} ${done.block.who}: blocked ${untilText(done.block)}`);
    }));

  program.command('unblock').summary('remove a block').description('Removes a block within a second.')
    .addArgument(KIND()).argument('<who>', 'the user, or the address or network exactly as it was blocked')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain unblock user alice')
    .action((kind: BlockKind, who: string, { json }: { json?: boolean }) => withContext(terminal, async (context) => {
      const done = accepted(await liftCallerBlock(context, kind, who));
      print(terminal, json, done.block, `${kind} ${done.block.who}: no longer blocked`);
    }));

  program.command('blocks').summary('list blocks').description('Lists the blocks in force, newest first.')
    .option('--json', 'print JSON')
    .addHelpText('after', '\nExample:\n  rain blocks')
    .action(({ json }: { json?: boolean }) => withContext(terminal, async (context) => {
      const blocks = await listBlocks(context);
      print(terminal, json, blocks, blocks.length === 0 ? 'no user and no address is blocked' : table(['kind', 'who', 'until', 'since', 'by', 'reason'],
        blocks.map((block) => [block.kind, block.who, block.until === undefined ? 'removed' : iso(block.until), iso(block.since), block.actor, block.reason])));
    }));
}

function untilText({ until }: Block): string {
  return until === undefined ? 'until it is removed' : `until ${iso(until)}`;
}
