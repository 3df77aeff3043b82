import { pipeline, Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { firstRefusal, formatRefusal, type Refusal } from '../rain/refusal.ts';
import { NotUtf8, utf8Only } from './encoding.ts';

/** A CSV cannot be read. Thrown in the middle of the rows; `refusal` names line and column. */
export class SheetRefused extends Error {
  override name = 'SheetRefused';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(formatRefusal(refusal));
    this.refusal = refusal;
  }
}

/** The columns of a CSV. */
interface SheetForm<Cells extends z.ZodObject> {
  /** The cells of a row by column. An optional column may be missing, and its cells may be empty. */
  cells: Cells;
  /** Further names of columns, in small letters. */
  aliases?: Readonly<Record<string, string>>;
  /**
   * Semicolons may separate the cells, as spreadsheets of many countries write them. Not of money: the same countries
   * write 1,00.
   */
  semicolons?: true;
  /** The expected header. */
  expected: string;
}

/** Longest row, characters: protects this process from a quote that never ends [R10]. */
const ROW_CHARACTERS_MAX = 16_384;

/**
 * Reads a CSV (UTF-8, quoted as RFC 4180 says) row by row; columns may be in any order, others are ignored. `line`: in
 * the file, where the header is line 1.
 * @param bytes a stream of the file; its errors are thrown unchanged
 * @throws SheetRefused
 */
export async function* readSheet<Cells extends z.ZodObject>(
  bytes: Readable,
  form: SheetForm<Cells>,
): AsyncGenerator<{ line: number; cells: z.output<Cells> }, void> {
  let columns: readonly string[] | undefined;
  try {
    const { delimiter, text } = form.semicolons
      ? await delimited(utf8Only(bytes))
      : { delimiter: ',', text: utf8Only(bytes) };
    const parser = parse({
      bom: true,
      trim: true,
      skip_empty_lines: true,
      info: true,
      max_record_size: ROW_CHARACTERS_MAX,
      delimiter,
    });
    // The error of either stream is thrown by the loop below.
    pipeline(Readable.from(text), parser, () => {});
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns) yield { line: info.lines, cells: toCells(form, columns, record, info.lines) };
      else columns = toColumns(form, record);
    }
  } catch (error) {
    if (error instanceof NotUtf8)
      throw new SheetRefused({
        field: `line ${error.line}`,
        reason: error.isWorkbook
          ? 'this is a workbook, expected it saved as "CSV UTF-8"'
          : 'expected UTF-8, which spreadsheets call "CSV UTF-8"',
      });
    throw error instanceof CsvError
      ? new SheetRefused({ field: `line ${Number(error['lines'] ?? 1)}`, reason: reasonOf(error) })
      : error;
  }
  if (!columns) throw new SheetRefused({ field: 'line 1', reason: form.expected });
}

/** Its header tells what separates the cells. */
async function delimited(
  bytes: AsyncGenerator<Buffer, void>,
): Promise<{ delimiter: ',' | ';'; text: AsyncGenerator<Buffer, void> }> {
  const read: Buffer[] = [];
  let header = '';
  while (!header.includes('\n') && header.length <= ROW_CHARACTERS_MAX) {
    const { value, done } = await bytes.next();
    if (done) break;
    read.push(value);
    header += value.toString('latin1');
  }
  const [line = ''] = header.split('\n', 1);
  async function* text() {
    yield* read;
    yield* bytes;
  }
  return { delimiter: line.includes(';') && !line.includes(',') ? ';' : ',', text: text() };
}

function toColumns(
  { cells: { shape }, aliases, expected }: SheetForm<z.ZodObject>,
  header: readonly string[],
): string[] {
  const names = header.map((name) => name.toLowerCase()).map((name) => aliases?.[name] ?? name);
  const missing = Object.entries(shape).find(
    ([name, cell]) => !(cell instanceof z.ZodOptional) && !names.includes(name),
  )?.[0];
  if (missing !== undefined)
    throw new SheetRefused({ field: `line 1, column ${missing}`, reason: `missing, ${expected}` });
  const twice = names.find((name, i) => name in shape && names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new SheetRefused({ field: `line 1, column ${twice}`, reason: `it occurs twice, ${expected}` });
  return names;
}

function toCells<Cells extends z.ZodObject>(
  { cells }: SheetForm<Cells>,
  columns: readonly string[],
  record: readonly string[],
  line: number,
): z.output<Cells> {
  const given = Object.fromEntries(
    columns.flatMap((name, i) =>
      name in cells.shape && (!(cells.shape[name] instanceof z.ZodOptional) || record[i] !== '')
        ? [[name, record[i]]]
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
