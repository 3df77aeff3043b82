import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueContext } from '../context.ts';
import { allWinners } from './list.ts';

/** Spreadsheets recognize UTF-8 by the byte order mark. */
const SPREADSHEET = { bom: true, record_delimiter: 'windows' } as const;

/** All winners as CSV. A cell that a spreadsheet would read as a formula begins with an apostrophe. */
export function winnersSheet(context: QueueContext, rain: BookedRain, reader: 'spreadsheet' | 'plain' = 'spreadsheet'): Readable {
  const rows = Readable.from(allWinners(context, rain));
  const text = stringify({ header: true, escape_formulas: true, ...(reader === 'spreadsheet' && SPREADSHEET), columns: ['redPacketId', 'userId', 'amount', 'at', 'status'] });
  rows.once('error', (error) => text.destroy(error));
  text.once('close', () => rows.destroy());
  return rows.pipe(text);
}

/** All winners as JSON, one object per line. */
export function winnersLines(context: QueueContext, rain: BookedRain): Readable {
  return Readable.from(allWinners(context, rain)).map((winner: unknown) => `${JSON.stringify(winner)}\n`);
}
