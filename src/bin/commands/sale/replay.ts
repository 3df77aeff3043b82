import { Option } from 'commander';
import { Readable } from 'node:stream';
import { openSaleReplay, type ReplayedEntry, type ReplayedReservation } from '../../../operator/sale/replay.ts';
import { sheetOf } from '../../../operator/sheet.ts';
import type { RainCommand } from '../../command.ts';
import { accepted, CommandFailure, EXIT, notify } from '../../exit.ts';
import { pour } from '../../terminal.ts';

const COLUMNS = [
  'at',
  'reservationId',
  'userId',
  'sku',
  'quantity',
  'price',
  'ref',
  'payBy',
  'status',
] as const satisfies readonly (keyof ReplayedReservation)[];
const LISTED_MAX = 100;

export function addReplayCommand(sale: RainCommand): void {
  sale
    .command('replay <id>')
    .summary('list all reservations from the log alone')
    .description(
      'Rebuilds a sale from its reservation log alone, in order, with the status of each order; reserved means that there is none yet. Exit code 1 when an entry cannot be read or its order says something else.',
    )
    .addOption(
      new Option(
        '--format <format>',
        "csv (user ids that a spreadsheet would run as formulas are escaped with ') or ndjson",
      )
        .choices(['csv', 'ndjson'])
        .default('csv'),
    )
    .json('the same as --format ndjson')
    .example('rain sale replay m3k9x2a1b2c3d4 --format ndjson > reservations.ndjson')
    .runsWithContext(
      async (context, saleId: string, { format, json }: { format: 'csv' | 'ndjson'; json?: boolean }) => {
        const { entries } = accepted(await openSaleReplay(context, saleId));
        const found = { entries: 0, faults: [] as string[], faulty: 0 };
        const rows = rowsOf(entries, found);
        const all = await pour(
          sale.terminal,
          json || format === 'ndjson'
            ? Readable.from(rows).map((row: unknown) => `${JSON.stringify(row)}\n`)
            : sheetOf(rows, COLUMNS, 'plain'),
        );
        if (!all) throw new CommandFailure(EXIT.refused, 'the output was closed before the end');
        for (const fault of found.faults) notify(sale.terminal, fault);
        if (found.faulty > found.faults.length)
          notify(sale.terminal, `… and ${found.faulty - found.faults.length} more`);
        notify(
          sale.terminal,
          found.faulty === 0
            ? `The log and the orders agree: ${found.entries} reservations.`
            : `THE LOG AND THE ORDERS DIFFER: ${found.faulty} of ${found.entries} entries.`,
        );
        if (found.faulty > 0) sale.terminal.exitCode = EXIT.refused;
      },
    );
}

async function* rowsOf(
  entries: AsyncGenerator<ReplayedEntry, void>,
  found: { entries: number; faults: string[]; faulty: number },
): AsyncGenerator<ReplayedReservation, void> {
  for await (const one of entries) {
    found.entries++;
    if (one.fault !== undefined && ++found.faulty <= LISTED_MAX) found.faults.push(one.fault);
    if (one.ok) yield one.row;
  }
}
