import type { Command } from 'commander';
import { stringify } from 'csv-stringify';
import { allWinners, type Winner } from '../../operator/winners/list.ts';
import { CommandFailure, EXIT } from '../answer.ts';
import { atDesk } from '../connection.ts';

export function addWinnersCommand(program: Command): void {
  program.command('winners <id>').summary('who has won, as CSV')
    .description('Prints who has won what, and whether it is credited, from the claim log and the book: CSV, or with --json one object a line.')
    .option('--json', 'one JSON object a line')
    .addHelpText('after', '\nExample:\n  rain winners m3k9x2a1b2c3d4 > winners.csv')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const { withQueues } = await import('../queues.ts');
      await atDesk((desk) => withQueues(desk, async (at) => {
        const rain = await at.ledger.rain(id);
        if (!rain) throw new CommandFailure(EXIT.refused, `id: there is no rain ${id}`);
        const csv = json ? undefined : stringify({ header: true, escape_formulas: true, columns: ['redPacketId', 'userId', 'amount', 'at', 'status'] });
        csv?.pipe(process.stdout, { end: false });
        for await (const page of allWinners(at, rain)) for (const winner of page) await write(csv, winner);
        if (csv) await new Promise<void>((resolve) => { csv.end(resolve); });
      }));
    });
}

/** As fast as it is taken. */
async function write(csv: ReturnType<typeof stringify> | undefined, winner: Winner): Promise<void> {
  const free = csv ? csv.write(winner) : process.stdout.write(`${JSON.stringify(winner)}\n`);
  if (!free) await new Promise((resolve) => { (csv ?? process.stdout).once('drain', resolve); });
}
