import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { toCell } from '../platform/sheetCell.ts';

/** Spreadsheets recognize UTF-8 by the byte order mark. */
const SPREADSHEET = { bom: true, record_delimiter: 'windows' } as const;

/** Who reads a CSV text: a spreadsheet, or another program. */
export type SheetReader = 'spreadsheet' | 'plain';

/** Rows as CSV. */
export function sheetOf(source: AsyncIterable<object>, columns: readonly string[], reader: SheetReader): Readable {
  const rows = Readable.from(source);
  const text = stringify({ header: true, cast: { string: toCell }, ...(reader === 'spreadsheet' && SPREADSHEET), columns: [...columns] });
  rows.once('error', (error) => text.destroy(error));
  text.once('close', () => rows.destroy());
  return rows.pipe(text);
}
