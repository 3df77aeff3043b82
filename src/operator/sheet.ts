import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';
import { toCell, toSpreadsheetCell } from '../platform/sheetCell.ts';
import { timeZoneHere, wallTime } from '../platform/timeZone.ts';

/** Spreadsheets recognize UTF-8 by the byte order mark. */
const SPREADSHEET = { bom: true, record_delimiter: 'windows' } as const;

/** The reader of a CSV text: a spreadsheet, or another program. */
export type SheetReader = 'spreadsheet' | 'plain';

/**
 * A column of ISO times that a spreadsheet also gets as clocks at the event showed them, in a column `localTime` behind
 * it.
 */
interface LocalTime {
  column: string;
  /** Default: that of this machine. */
  timeZone?: string | undefined;
}

/** Rows as CSV. */
export function sheetOf(
  source: AsyncIterable<object>,
  columns: readonly string[],
  reader: SheetReader,
  localTime?: LocalTime,
): Readable {
  const localized = reader === 'spreadsheet' ? localTime : undefined;
  const rows = Readable.from(localized ? withLocalTime(source, localized) : source);
  const written = columns.flatMap((column) => (column === localized?.column ? [column, 'localTime'] : [column]));
  const text = stringify({
    header: true,
    cast: { string: reader === 'spreadsheet' ? toSpreadsheetCell : toCell },
    // Readers trim what is not quoted.
    quoted_match: /^\s|\s$/,
    ...(reader === 'spreadsheet' && SPREADSHEET),
    columns: written,
  });
  rows.once('error', (error) => text.destroy(error));
  text.once('close', () => rows.destroy());
  return rows.pipe(text);
}

async function* withLocalTime(
  rows: AsyncIterable<object>,
  { column, timeZone = timeZoneHere() }: LocalTime,
): AsyncGenerator<object, void> {
  for await (const row of rows as AsyncIterable<Record<string, unknown>>)
    yield { ...row, localTime: wallTime(Date.parse(String(row[column])), timeZone).replace('T', ' ') };
}
