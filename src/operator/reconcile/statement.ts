import type { Readable } from 'node:stream';
import { z } from 'zod';
import { amount } from '../../rain/claim.ts';
import { readCalendarTime } from '../../platform/calendarTime.ts';
import { plainId } from '../../rain/ids.ts';
import { parseMoney, type Cents } from '../../rain/money.ts';
import type { Refusal } from '../../rain/refusal.ts';
import { readSheet } from '../sheetReader.ts';
import { SheetRefused } from '../sheetRefused.ts';

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

/** A time as a wallet writes it. */
export const statementTime = z
  .string()
  .refine(
    (text) => /^\d{13}$/.test(text) || readCalendarTime(text) !== undefined,
    'expected epoch milliseconds or a date and time such as 2026-12-31T20:00:00+08:00',
  );
const cells = z.object({
  id: z.string().min(1, 'expected a claim id').max(4_096, 'expected a claim id'),
  amount,
  time: statementTime,
  user: plainId.optional(),
});
const STATEMENT = {
  cells,
  expected: 'expected a header line with the columns id, amount, time and, if there is one, user, separated by commas',
} as const;

/**
 * Reads a wallet's statement as CSV, see `readSheet`.
 * @throws SheetRefused
 */
export async function* readStatement(bytes: Readable): AsyncGenerator<StatementRow, void> {
  for await (const {
    line,
    cells: { id, time, user, amount: paid },
  } of readSheet(bytes, STATEMENT)) {
    yield { line, id, time, amountCents: parseMoney(paid)!, ...(user !== undefined && { userId: user }) };
  }
}

/** Reads a whole statement. @returns why it cannot be read; `undefined`: it can */
export async function refusalOfStatement(bytes: Readable): Promise<Refusal | undefined> {
  try {
    for await (const _ of readStatement(bytes));
    return undefined;
  } catch (error) {
    if (error instanceof SheetRefused) return error.refusal;
    throw error;
  }
}
