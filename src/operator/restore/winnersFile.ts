import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { packetPartOf } from '../../credit/claimId.ts';
import { amount } from '../../rain/claim.ts';
import { plainId, userId } from '../../rain/ids.ts';
import { redPacketIndex } from '../../rain/red-packet.ts';
import { firstRefusal, type Refusal } from '../../rain/refusal.ts';
import { readCalendarTime } from '../../platform/calendarTime.ts';
import { fromCell } from '../../platform/sheetCell.ts';
import { momentAt, timeZoneHere } from '../../platform/timeZone.ts';
import { statementTime } from '../reconcile/statement.ts';
import { payeeOf } from './payments.ts';

/** One winner of the file. */
export interface WinnerRow {
  /** In the file; the header is line 1. */
  line: number;
  redPacketId: string;
  userId: string;
  amount: string;
  /** When it was won or paid, epoch ms; absent: the file does not say. */
  at?: number;
}

type WinnersFile =
  | {
      ok: true;
      winners: WinnerRow[];
      /** Rows of wins that were discarded, or are dead letters: nobody was paid. */ unpaid: number;
      /** Payments for other rains. */ others: number;
    }
  | { ok: false; refusals: Refusal[] };

/** Longest file, bytes, and refusals that are listed [R10]. */
export const FILE_BYTES_MAX = 256 * 1_024 * 1_024;
const REFUSALS_MAX = 20;

const EXPECTED = 'expected the columns redPacketId, userId, amount of rain winners, or id, amount, time of a statement';
/** A clock without a zone is one of this machine. */
const at = statementTime.transform((text) => {
  const read = readCalendarTime(text);
  if (!read) return Number(text);
  return read.zoneMs === undefined
    ? momentAt(new Date(read.wall).toISOString().slice(0, 19), timeZoneHere())
    : read.wall - read.zoneMs;
});
const cells = z.object({ redPacketId: plainId, userId, amount, at: at.optional() });
const NOT_PAID: ReadonlySet<string | undefined> = new Set(['discarded', 'dead']);

/**
 * Reads the winners of a rain from CSV: as `rain winners` exports them, or as a wallet's statement, which may have
 * payments for other rains. Columns may be in any order; others are ignored.
 */
export function readWinners(text: string, rainId: string): WinnersFile {
  const read = readRows(text);
  if (!read.ok) return { ok: false, refusals: [read.refusal] };
  const [head, ...body] = read.rows;
  const names = head?.record ?? [];
  const isStatement = names.some((name) => name.toLowerCase() === 'id');
  const columns = isStatement ? names.map((name) => name.toLowerCase()) : names;
  const missing = (isStatement ? ['id', 'amount', 'time'] : ['redPacketId', 'userId', 'amount']).find(
    (name) => !columns.includes(name),
  );
  if (missing !== undefined)
    return { ok: false, refusals: [{ field: `line 1, column ${missing}`, reason: `missing, ${EXPECTED}` }] };
  const [winners, refusals]: [WinnerRow[], Refusal[]] = [[], []];
  let [unpaid, others] = [0, 0];
  for (const { record, info } of body) {
    const given = Object.fromEntries(
      columns.map((name, i) => [name, fromCell(record[i] ?? '')]).filter(([, cell]) => cell !== ''),
    );
    if (NOT_PAID.has(given['status'])) {
      unpaid++;
      continue;
    }
    if (isStatement && redPacketIndex(rainId, packetPartOf(given['id'] ?? '')) === undefined) {
      others++;
      continue;
    }
    const parsed = cells.safeParse(isStatement ? fromStatement(given) : given);
    if (parsed.success)
      winners.push({
        line: info.lines,
        redPacketId: parsed.data.redPacketId,
        userId: parsed.data.userId,
        amount: parsed.data.amount,
        ...(parsed.data.at !== undefined && { at: parsed.data.at }),
      });
    else if (refusals.length < REFUSALS_MAX) {
      const { field, reason } = firstRefusal(parsed.error, 'row');
      refusals.push({
        field: `line ${info.lines}, column ${isStatement ? (STATEMENT_COLUMNS[field] ?? field) : field}`,
        reason,
      });
    }
  }
  return refusals.length > 0 ? { ok: false, refusals } : { ok: true, winners, unpaid, others };
}

type Row = { record: string[]; info: { lines: number } };

function readRows(text: string): { ok: true; rows: Row[] } | { ok: false; refusal: Refusal } {
  try {
    const rows = parse(text, {
      bom: true,
      trim: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
    }) as unknown as Row[];
    return { ok: true, rows };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const field = `line ${Number(error['lines'] ?? 1)}`;
    return { ok: false, refusal: { field, reason: `${error.message}; expected CSV` } };
  }
}

const STATEMENT_COLUMNS: Partial<Record<string, string>> = { redPacketId: 'id', userId: 'user', at: 'time' };

/**
 * A claim id names packet, user and amount, see docs/reference/webhook.md; an older one only the packet, and the user
 * has a column.
 */
function fromStatement({ id = '', amount: paid, time, user }: Partial<Record<string, string>>) {
  return {
    redPacketId: packetPartOf(id),
    userId: payeeOf({ id, ...(user !== undefined && { userId: user }) }),
    amount: paid,
    at: time,
  };
}
