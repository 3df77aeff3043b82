import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import type { BookedRain } from '../../ledger/rains.ts';
import type { QueueDesk } from '../desk.ts';
import { allWinners } from './list.ts';

/**
 * All winners as CSV for spreadsheets, UTF-8 with BOM, row by row, as fast as it is taken. A cell that a spreadsheet would take for
 * a formula begins with an apostrophe.
 */
export function winnersSheet(desk: QueueDesk, rain: BookedRain): Readable {
  const rows = Readable.from((async function* () {
    for await (const page of allWinners(desk, rain)) yield* page;
  })());
  const text = stringify({ header: true, bom: true, escape_formulas: true, record_delimiter: 'windows', columns: ['redPacketId', 'userId', 'amount', 'at', 'status'] });
  rows.once('error', (error) => text.destroy(error));
  text.once('close', () => rows.destroy());
  return rows.pipe(text);
}
