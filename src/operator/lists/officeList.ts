import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { pipeline, Readable as Stream } from 'node:stream';
import { SheetRefused } from '../sheetRefused.ts';
import { decodeList, type Encoding } from './decode.ts';
import { readWorkbookAside } from './workbookThread.ts';

/** A row of a list as an office has it. A cell that is `null` has no text that is sure. */
export interface OfficeRow {
  line: number;
  cells: readonly (string | null)[];
}

/** How a list was read. */
export interface ReadAs {
  encoding: Encoding | 'XLSX';
  /** The name of the sheet, if it is a workbook. */
  sheet?: string;
}

const ZIP = Buffer.from('PK\u0003\u0004');
/** Workbooks of 1997 to 2003, and those with a password. */
const OLD_WORKBOOK = Buffer.from([0xd0, 0xcf, 0x11, 0xe0]);
const DELIMITERS = [',', ';', '\t'] as const;
/** Characters that are parsed before others have their turn [R10]. */
const SLICE = 32_768;

/**
 * Opens a list as an office has it: an .xlsx, or CSV in UTF-8, UTF-16, GB18030 or Big5, whose cells are separated by
 * commas, semicolons or tabs, after a line such as `sep=;` or not. Rows without any text are left out.
 * @param known how many names of columns a header has, and how many of them are Chinese
 * @throws SheetRefused
 */
export async function openOfficeList(
  bytes: Readable,
  known: (header: readonly string[]) => { columns: number; chinese: number },
  rowCharactersMax: number,
): Promise<ReadAs & { rows: AsyncIterable<OfficeRow> }> {
  const file = await buffer(bytes);
  if (file.subarray(0, ZIP.length).equals(ZIP)) {
    const workbook = await readWorkbookAside(file);
    if (!workbook)
      throw new SheetRefused({
        field: 'list',
        reason: 'expected a workbook that a spreadsheet has saved as .xlsx, or the list as CSV',
      });
    return { encoding: 'XLSX', sheet: workbook.sheet, rows: filled(workbook.rows) };
  }
  if (file.subarray(0, OLD_WORKBOOK.length).equals(OLD_WORKBOOK))
    throw new SheetRefused({
      field: 'list',
      reason: 'this is a workbook of an older kind, or one with a password; expected it saved as .xlsx, or as CSV',
    });
  const split = (line: string, delimiter: string) =>
    line.split(delimiter).map((cell) => cell.replace(/^="|^"|"$/g, ''));
  const score = (line: string, delimiter: string) => known(split(line, delimiter));
  const read = decodeList(file, (start) =>
    DELIMITERS.some((delimiter) => score(headerOf(start).line, delimiter).chinese > 0),
  );
  if ('line' in read)
    throw new SheetRefused({
      field: `line ${read.line}`,
      reason: 'the encoding of this text is in doubt, expected UTF-8, which spreadsheets call "CSV UTF-8", or an .xlsx',
    });
  const { line, named, skipped } = headerOf(read.text);
  const delimiter =
    named ??
    DELIMITERS.map((one) => ({ one, columns: score(line, one).columns })).reduce((best, other) =>
      other.columns > best.columns ? other : best,
    ).one;
  return {
    encoding: read.encoding,
    rows: filled(
      csvRows(skipped === 0 ? read.text : read.text.slice(skipped), delimiter, rowCharactersMax, skipped && 1),
    ),
  };
}

/** The header line, and what separates its cells if the line before says so: `sep=;`. */
function headerOf(text: string): { line: string; named?: string; skipped: number } {
  const separator = /^"?sep=([,;\t|])"?\r?\n/i.exec(text);
  const skipped = separator?.[0].length ?? 0;
  const end = text.indexOf('\n', skipped);
  return {
    line: text.slice(skipped, end < 0 ? undefined : end).trim(),
    ...(separator && { named: separator[1]! }),
    skipped,
  };
}

async function* csvRows(
  text: string,
  delimiter: string,
  rowCharactersMax: number,
  linesBefore: number,
): AsyncGenerator<OfficeRow, void> {
  const parser = parse({
    trim: true,
    relax_column_count: true,
    info: true,
    max_record_size: rowCharactersMax,
    delimiter,
  });
  // The error of either stream is thrown by the loop below.
  pipeline(Stream.from(slices(withoutFormulas(text)), { highWaterMark: 1 }), parser, () => {});
  for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>)
    yield { line: info.lines + linesBefore, cells: record };
}

/** `="00124"` is how a text that looks like a number is written for spreadsheets; it is not CSV outside of quotes. */
function withoutFormulas(text: string): string {
  return text.includes('="')
    ? text.replace(/"(?:[^"]|"")*"|="([^"\r\n]*)"/g, (whole, inner?: string) =>
        inner === undefined ? whole : `"=""${inner}"""`,
      )
    : text;
}

async function* slices(text: string): AsyncGenerator<string, void> {
  for (let at = 0; at < text.length; at += SLICE) {
    yield text.slice(at, at + SLICE);
    await nextTurn();
  }
}

async function* filled(rows: Iterable<OfficeRow> | AsyncIterable<OfficeRow>): AsyncGenerator<OfficeRow, void> {
  for await (const row of rows) if (row.cells.some((cell) => cell !== '')) yield row;
}
