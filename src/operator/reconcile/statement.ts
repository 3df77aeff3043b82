import { pipeline, type Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { z } from 'zod';
import { amount } from '../../rain/claim.ts';
import { plainId } from '../../rain/ids.ts';
import { parseMoney, type Cents } from '../../rain/money.ts';
import { firstRefusal, formatRefusal, type Refusal } from '../../rain/refusal.ts';
import { NotUtf8, utf8Only } from './encoding.ts';

/** One payment in a wallet's statement. */
export interface StatementRow {
  /** In the file; the header is line 1. */
  line: number;
  /** The claim id under which the wallet was asked to pay. */
  id: string;
  amountCents: Cents;
  /** As the wallet writes it. */
  time: string;
  /** Absent: the statement does not say. */
  userId?: string;
}

/** The statement cannot be read. Thrown in the middle of the rows; `refusal` names line and column. */
export class StatementRefused extends Error {
  override name = 'StatementRefused';
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(formatRefusal(refusal));
    this.refusal = refusal;
  }
}

const REQUIRED = ['id', 'amount', 'time'] as const;
const COLUMNS: ReadonlySet<string> = new Set([...REQUIRED, 'user']);
const EXPECTED = 'expected a header line with the columns id, amount, time and, if there is one, user, separated by commas';

/** Longest row, characters: protects this process from a quote that never ends [R10]. */
const ROW_CHARACTERS_MAX = 16_384;

const TIME = 'expected epoch milliseconds or a date and time such as 2026-12-31T20:00:00+08:00';
const cells = z.object({
  id: z.string().min(1, 'expected a claim id').max(4_096, 'expected a claim id'),
  amount,
  time: z.string().regex(/^(\d{13}|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?( ?(Z|UTC|[+-]\d\d:?\d\d))?)$/, TIME),
  user: plainId.optional(),
});

/**
 * Reads a wallet's statement as CSV (UTF-8, quoted as RFC 4180 says) row by row; columns may be in any order, others are ignored.
 * @param bytes a stream of the file; its errors are thrown unchanged
 * @throws StatementRefused
 */
export async function* readStatement(bytes: Readable): AsyncGenerator<StatementRow, void> {
  const parser = parse({ bom: true, trim: true, skip_empty_lines: true, info: true, max_record_size: ROW_CHARACTERS_MAX });
  // The error of either stream is thrown by the loop below.
  pipeline(bytes, utf8Only, parser, () => {});
  let columns: readonly string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (columns) yield toRow(columns, record, info.lines);
      else columns = toColumns(record);
    }
  } catch (error) {
    if (error instanceof NotUtf8) throw new StatementRefused({ field: `line ${error.line}`, reason: 'expected UTF-8, which spreadsheets call "CSV UTF-8"' });
    throw error instanceof CsvError ? new StatementRefused({ field: `line ${Number(error['lines'] ?? 1)}`, reason: reasonOf(error) }) : error;
  }
  if (!columns) throw new StatementRefused({ field: 'line 1', reason: EXPECTED });
}

/** Reads a whole statement. @returns why it cannot be read; `undefined`: it can */
export async function refusalOfStatement(bytes: Readable): Promise<Refusal | undefined> {
  try {
    for await (const _ of readStatement(bytes));
    return undefined;
  } catch (error) {
    if (error instanceof StatementRefused) return error.refusal;
    throw error;
  }
}

function toColumns(header: readonly string[]): string[] {
  const names = header.map((name) => name.toLowerCase());
  const missing = REQUIRED.find((name) => !names.includes(name));
  if (missing) throw new StatementRefused({ field: `line 1, column ${missing}`, reason: `missing, ${EXPECTED}` });
  const twice = names.find((name, i) => COLUMNS.has(name) && names.indexOf(name) !== i);
  if (twice) throw new StatementRefused({ field: `line 1, column ${twice}`, reason: `it occurs twice, ${EXPECTED}` });
  return names;
}

function toRow(columns: readonly string[], record: readonly string[], line: number): StatementRow {
  const given = Object.fromEntries(columns.flatMap((name, i) => (COLUMNS.has(name) && (name !== 'user' || record[i] !== '') ? [[name, record[i]]] : [])));
  const parsed = cells.safeParse(given);
  if (!parsed.success) {
    const { field, reason } = firstRefusal(parsed.error, 'id');
    throw new StatementRefused({ field: `line ${line}, column ${field}`, reason });
  }
  const { id, time, user } = parsed.data;
  return { line, id, time, amountCents: parseMoney(parsed.data.amount)!, ...(user !== undefined && { userId: user }) };
}

function reasonOf({ code }: CsvError): string {
  switch (code) {
    case 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH': return 'expected as many cells as the header has';
    case 'CSV_MAX_RECORD_SIZE': return `expected a row of at most ${ROW_CHARACTERS_MAX} characters, with every quote closed`;
    case 'CSV_QUOTE_NOT_CLOSED': return 'expected every quote to be closed';
    default: return `not CSV, expected cells separated by commas, and quoted where they contain a comma or a quote (${code})`;
  }
}
