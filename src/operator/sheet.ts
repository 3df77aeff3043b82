import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify';

/** Spreadsheets recognize UTF-8 by the byte order mark. */
const SPREADSHEET = { bom: true, record_delimiter: 'windows' } as const;

/** Who reads a CSV text: a spreadsheet, or another program. */
export type SheetReader = 'spreadsheet' | 'plain';

const SIGN = String.raw`=+\-@\uff1d\uff0b\uff0d\uff20`;
/** Where a formula may begin. A spreadsheet may split at any of these separators, whatever separates the columns of the file, and drops quotes there. */
const AT_START = String.raw`(?<=(?:^|[;,|\t\r\n])[\s"]*)`;
/** The first character is looked at first: a search back at every one of many spaces would take the square of their number. */
const TO_MARK = new RegExp(`(?=['${SIGN}])${AT_START}(?='*[${SIGN}])`, 'gu');
const MARKED = new RegExp(`(?=')${AT_START}'(?='*[${SIGN}])`, 'gu');

/** Text of a cell, with an apostrophe before whatever a spreadsheet would run as a formula. Different texts stay different. */
export function toCell(text: string): string {
  return text.replace(TO_MARK, "'");
}

/** The text that `toCell` was given. */
export function fromCell(cell: string): string {
  return cell.replace(MARKED, '');
}

/** Rows as CSV. */
export function sheetOf(source: AsyncIterable<object>, columns: readonly string[], reader: SheetReader): Readable {
  const rows = Readable.from(source);
  const text = stringify({ header: true, cast: { string: toCell }, ...(reader === 'spreadsheet' && SPREADSHEET), columns: [...columns] });
  rows.once('error', (error) => text.destroy(error));
  text.once('close', () => rows.destroy());
  return rows.pipe(text);
}
