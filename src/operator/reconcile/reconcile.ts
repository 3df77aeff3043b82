import type { Readable } from 'node:stream';
import type { ClaimIdForm } from '../../credit/claimId.ts';
import type { BookedRain } from '../../ledger/rains.ts';
import { refuse, type OperatorContext, type Refused } from '../context.ts';
import { sheetOf, type SheetReader } from '../sheet.ts';
import { differencesOf } from './compare.ts';
import { DIFFERENCE_COLUMNS, newTotals, summaryOf, type Difference, type Summary, type Totals } from './difference.ts';
import { SheetRefused } from '../sheetRefused.ts';
import { readStatement } from './statement.ts';

/** Differences listed in one answer; a sheet has all of them [R10]. */
const LISTED_MAX = 1_000;

type Reconciled =
  | ({ ok: true; rainId: string; differences: Difference[]; /** False: there are more. */ complete: boolean } & Summary)
  | Refused;

/**
 * Compares a wallet's statement with the book's credits of a rain. Credits that are posted meanwhile may be reported:
 * the result is final for a settled rain.
 * @param bytes the statement as a stream of CSV, see statement.ts
 */
export async function reconcileRain(
  context: Pick<OperatorContext, 'ledger'>,
  rain: BookedRain,
  bytes: Readable,
): Promise<Reconciled> {
  const totals = newTotals();
  const opened = openReconciliation(context, rain, bytes, totals);
  if (!opened.ok) return opened;
  const differences: Difference[] = [];
  let found = 0;
  try {
    for await (const difference of opened.differences) if (found++ < LISTED_MAX) differences.push(difference);
  } catch (error) {
    if (error instanceof SheetRefused) return { ok: false, refusals: [error.refusal] };
    throw error;
  }
  return { ok: true, rainId: rain.id, ...summaryOf(totals), differences, complete: found === differences.length };
}

/** All differences as CSV. Reading it throws SheetRefused. @param totals complete when the sheet ends */
export function reconciliationSheet(
  context: Pick<OperatorContext, 'ledger'>,
  rain: BookedRain,
  bytes: Readable,
  totals: Totals,
  reader: SheetReader = 'spreadsheet',
): { ok: true; sheet: Readable } | Refused {
  const opened = openReconciliation(context, rain, bytes, totals);
  return opened.ok ? { ok: true, sheet: sheetOf(opened.differences, DIFFERENCE_COLUMNS, reader) } : opened;
}

/** The wallet whose statement a rain can be compared with, by the form of its claim ids. */
export function walletOf({ id, payoutProvider, terms }: BookedRain): { ok: true; idForm: ClaimIdForm } | Refused {
  if (terms.rehearsal) return refuse('id', `the rain ${id} is a rehearsal: no wallet was asked to pay it`);
  if (payoutProvider === undefined)
    return refuse('id', `the rain ${id} has no payout provider yet: no wallet was asked to pay it`);
  if (payoutProvider === 'ledger')
    return refuse('id', `the rain ${id} is paid in our own ledger: there is no wallet's statement to compare it with`);
  return { ok: true, idForm: payoutProvider };
}

function openReconciliation(
  { ledger }: Pick<OperatorContext, 'ledger'>,
  rain: BookedRain,
  bytes: Readable,
  totals: Totals,
): { ok: true; differences: AsyncGenerator<Difference, void> } | Refused {
  const wallet = walletOf(rain);
  if (!wallet.ok) return wallet;
  return {
    ok: true,
    differences: differencesOf(ledger, { rainId: rain.id, idForm: wallet.idForm }, readStatement(bytes), totals),
  };
}
