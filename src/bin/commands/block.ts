import { Argument } from 'commander';
import type { BlockKind } from '../../store/blocks.ts';
import { blockCaller, liftCallerBlock, listBlocks } from '../../operator/block.ts';
import { iso } from '../../rain/figures.ts';
import { parseDuration } from '../arguments.ts';
import type { RainCommand } from '../command.ts';
import { accepted } from '../exit.ts';
import { table } from '../style.ts';

const KIND = () =>
  new Argument('<kind>', 'a user (the sub of the token), or an IP address or network').choices(['user', 'address']);

export function addBlockCommands(program: RainCommand): void {
  program
    .command('block')
    .summary('block a user or an address')
    .description(
      'Blocks a user, or all users of an address or network, at all gateways within a second. Packets won before the block are still credited.',
    )
    .addArgument(KIND())
    .argument('<who>', 'the user, or an address such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48')
    .requiredOption('--reason <text>', 'why, for the record; 1 to 500 characters')
    .option('--for <duration>', 'how long; without it until it is removed', parseDuration)
    .json()
    .example('rain block address 203.0.113.0/24 --reason "phone farm" --for 2h')
    .runsWithContext(
      async (context, kind: BlockKind, who: string, { reason, for: forMs }: { reason: string; for?: number }) => {
        const { block } = accepted(
          await blockCaller(context, kind, who, { reason, ...(forMs !== undefined && { forMs }) }),
        );
        return {
          value: block,
          text: `${kind} ${block.who}: blocked until ${block.until === undefined ? 'it is removed' : iso(block.until)}`,
        };
      },
    );

  program
    .command('unblock')
    .summary('remove a block')
    .description('Removes a block within a second.')
    .addArgument(KIND())
    .argument('<who>', 'the user, or the address or network exactly as it was blocked')
    .json()
    .example('rain unblock user alice')
    .runsWithContext(async (context, kind: BlockKind, who: string) => {
      const { block } = accepted(await liftCallerBlock(context, kind, who));
      return { value: block, text: `${kind} ${block.who}: no longer blocked` };
    });

  program
    .command('blocks')
    .summary('list blocks')
    .description('Lists the blocks in force, newest first.')
    .json()
    .example('rain blocks')
    .runsWithContext(async (context) => {
      const blocks = await listBlocks(context);
      const rows = table(
        ['kind', 'who', 'until', 'since', 'by', 'reason'],
        blocks.map(({ kind, who, until, since, actor, reason }) => [
          kind,
          who,
          until === undefined ? 'removed' : iso(until),
          iso(since),
          actor,
          reason,
        ]),
      );
      return { value: blocks, text: blocks.length === 0 ? 'no user and no address is blocked' : rows };
    });
}
