import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { firstRefusal } from '../rain/refusal.ts';
import { fromCell } from '../platform/sheetCell.ts';
import { NotUtf8, utf8Only } from './encoding.ts';
import { openOfficeList, type ReadAs } from './lists/officeList.ts';
import { SheetRefused } from './sheetRefused.ts';

/** The columns of a list. */
interface SheetForm<Cells extends z.ZodObject> {
  /** The cells of a row by column. An optional column may be missing, and its cells may be empty. */
  cells: Cells;
  /** Further names of columns, in small letters and without spaces. */
  aliases?: Readonly<Record<string, string>>;
  /** The expected header. */
  expected: string;
}

/** A row of a list. `line`: in the file, where the header is line 1. */
interface SheetRow<Cells extends z.ZodObject> {
  line: number;
  cells: z.output<Cells>;
}

/** The understanding of a list: people look at it before anything is written. */
export interface Understood extends ReadAs {
  /** The columns that are read, by the names that the list has for them. */
  columns: Record<string, string>;
  /** The names of all others. */
  ignored: string[];
}

/** Longest row, characters: protects this process from a quote that never ends [R10]. */
const ROW_CHARACTERS_MAX = 16_384;
/** A list of an office, bytes: 20,000 rows of ten columns, also in two bytes a character. */
export const LIST_BYTES_MAX = 8 * 1_024 * 1_024;
const COLUMNS_SHOWN_MAX = 50;

/**
 * Reads a CSV (UTF-8, separated by commas, quoted as RFC 4180 says) row by row, of any size; columns may be in any order,
 * others are ignored. Money is read by this one only: where semicolons separate, people write 1,00.
 * @param bytes a stream of the file; its errors are thrown unchanged
 * @throws SheetRefused
 */
export async function* readSheet<Cells extends z.ZodObject>(
  bytes: Readable,
  form: SheetForm<Cells>,
): AsyncGenerator<SheetRow<Cells>, void> {
  let columns: readonly string[] | undefined;
  try {
    const parser = parse({
      bom: true,
      trim: true,
      skip_empty_lines: true,
      info: true,
      max_record_size: ROW_CHARACTERS_MAX,
    });
    // The error of either stream is thrown by the loop below.
    pipeline(Readable.from(utf8Only(bytes)), parser, () => {});
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns) yield { line: info.lines, cells: toCells(form, columns, record, info.lines) };
      else columns = toColumns(form, record, info.lines);
    }
  } catch (error) {
    throw refusedOf(error);
  }
  if (!columns) throw new SheetRefused({ field: 'line 1', reason: form.expected });
}

/**
 * Opens a list of people as an office has it, see officeList.ts: rows may be cut short, and empty ones are left out.
 * @throws SheetRefused
 */
export async function openList<Cells extends z.ZodObject>(
  bytes: Readable,
  form: SheetForm<Cells>,
): Promise<{ understood: Understood; rows: AsyncGenerator<SheetRow<Cells>, void> }> {
  const { rows, ...readAs } = await openOfficeList(
    bytes,
    (header) => {
      const known = header.filter((name) => isRead(form, columnOf(form, name)));
      return { columns: known.length, chinese: known.filter((name) => /\p{Script=Han}/u.test(name)).length };
    },
    ROW_CHARACTERS_MAX,
  );
  const iterator = rows[Symbol.asyncIterator]();
  try {
    const first = await iterator.next();
    if (first.done) throw new SheetRefused({ field: 'line 1', reason: form.expected });
    const header = first.value.cells.map((name) => (name ?? '').trim());
    const columns = toColumns(form, header, first.value.line);
    const read = header.flatMap((name, i) => (isRead(form, columns[i]!) ? [[columns[i]!, name] as const] : []));
    const understood = {
      ...readAs,
      columns: Object.fromEntries(read),
      ignored: header.filter((name, i) => name !== '' && !isRead(form, columns[i]!)).slice(0, COLUMNS_SHOWN_MAX),
    };
    return { understood, rows: toRows(form, columns, { [Symbol.asyncIterator]: () => iterator }) };
  } catch (error) {
    throw refusedOf(error);
  }
}

async function* toRows<Cells extends z.ZodObject>(
  form: SheetForm<Cells>,
  columns: readonly string[],
  rows: AsyncIterable<{ line: number; cells: readonly (string | null)[] }>,
): AsyncGenerator<SheetRow<Cells>, void> {
  try {
    for await (const { line, cells } of rows) {
      if (cells.slice(columns.length).some((cell) => cell !== ''))
        throw new SheetRefused({ field: `line ${line}`, reason: 'expected no more cells than the header has' });
      columns.forEach((name, i) => {
        if (isRead(form, name)) refuseShortened(cells[i], line, name);
      });
      yield { line, cells: toCells(form, columns, cells as readonly string[], line) };
    }
  } catch (error) {
    throw refusedOf(error);
  }
}

/** `1.38E+10`, a date or a fault: the spreadsheet does not say what was typed. */
function refuseShortened(cell: string | null | undefined, line: number, name: string): void {
  if (cell === null || /^\d(\.\d+)?E\+\d+$/i.test(cell ?? ''))
    throw new SheetRefused({
      field: `line ${line}, column ${name}`,
      reason: 'the spreadsheet has made a date or a shortened number of it, expected a column of texts',
    });
}

function refusedOf(error: unknown): unknown {
  if (error instanceof NotUtf8)
    return new SheetRefused({
      field: `line ${error.line}`,
      reason: error.isWorkbook
        ? 'this is a workbook, expected it saved as "CSV UTF-8"'
        : 'expected UTF-8, which spreadsheets call "CSV UTF-8"',
    });
  return error instanceof CsvError
    ? new SheetRefused({ field: `line ${Number(error['lines'] ?? 1)}`, reason: reasonOf(error) })
    : error;
}

const isRead = ({ cells }: SheetForm<z.ZodObject>, name: string): boolean => Object.hasOwn(cells.shape, name);

function columnOf({ aliases }: SheetForm<z.ZodObject>, header: string): string {
  const name = header
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s\uFEFF]/gu, '');
  return aliases?.[name] ?? name;
}

function toColumns(form: SheetForm<z.ZodObject>, header: readonly string[], line: number): string[] {
  const { shape } = form.cells;
  const names = header.map((name) => columnOf(form, name));
  const missing = Object.entries(shape).find(
    ([name, cell]) => !(cell instanceof z.ZodOptional) && !names.includes(name),
  )?.[0];
  if (missing !== undefined)
    throw new SheetRefused({ field: `line ${line}, column ${missing}`, reason: `missing, ${form.expected}` });
  const twice = names.find((name, i) => isRead(form, name) && names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new SheetRefused({ field: `line ${line}, column ${twice}`, reason: `it occurs twice, ${form.expected}` });
  return names;
}

function toCells<Cells extends z.ZodObject>(
  form: SheetForm<Cells>,
  columns: readonly string[],
  record: readonly string[],
  line: number,
): z.output<Cells> {
  const { cells } = form;
  const given = Object.fromEntries(
    columns.flatMap((name, i) =>
      isRead(form, name) && (!(cells.shape[name] instanceof z.ZodOptional) || (record[i] ?? '') !== '')
        ? [[name, fromCell(record[i] ?? '')]]
        : [],
    ),
  );
  const parsed = cells.safeParse(given);
  if (parsed.success) return parsed.data;
  const { field, reason } = firstRefusal(parsed.error, 'row');
  throw new SheetRefused({ field: `line ${line}, column ${field}`, reason });
}

function reasonOf({ code }: CsvError): string {
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH':
      return 'expected as many cells as the header has';
    case 'CSV_MAX_RECORD_SIZE':
      return `expected a row of at most ${ROW_CHARACTERS_MAX} characters, with every quote closed`;
    case 'CSV_QUOTE_NOT_CLOSED':
      return 'expected every quote to be closed';
    default:
      return `not CSV, expected cells separated by commas, and quoted where they contain a comma or a quote (${code})`;
  }
}
