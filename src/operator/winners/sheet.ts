import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueContext } from '../context.ts';
import { allWinners } from './list.ts';

/** What spreadsheets want to be told that it is UTF-8. */
const SPREADSHEET = { bom: true, record_delimiter: 'windows' } as const;

/**
 * All winners as CSV, row by row, as fast as it is taken. A cell that a spreadsheet would take for a formula begins with an
 * apostrophe.
 */
export function winnersSheet(context: QueueContext, rain: BookedRain, reader: 'spreadsheet' | 'plain' = 'spreadsheet'): Readable {
  const rows = rowsOf(context, rain);
  const text = stringify({ header: true, escape_formulas: true, ...(reader === 'spreadsheet' && SPREADSHEET), columns: ['redPacketId', 'userId', 'amount', 'at', 'status'] });
  rows.once('error', (error) => text.destroy(error));
  text.once('close', () => rows.destroy());
  return rows.pipe(text);
}

/** The same, each a JSON object on a line of its own. */
export function winnersLines(context: QueueContext, rain: BookedRain): Readable {
  return rowsOf(context, rain).map((winner: unknown) => `${JSON.stringify(winner)}\n`);
}

function rowsOf(context: QueueContext, rain: BookedRain): Readable {
  return Readable.from((async function* () {
    for await (const page of allWinners(context, rain)) yield* page;
  })());
}
