import type { Conflict } from '../ledger/classifyConflict.ts';
import { refusalOf } from '../ledger/refusal.ts';
import { formatMoney } from '../rain/money.ts';
import { BatchRefused, type PostOutcome } from './payoutProvider.ts';
import type { DeadReason } from './deadLetter.ts';

/** What stands in the book in the way of a claim, as its dead letter tells it. @param before what has happened already */
export function giveUpOn(conflict: Conflict, before = '', reason: DeadReason = conflict.outcome): PostOutcome {
  if (conflict.outcome === 'discarded') return { outcome: 'giveUp', reason, detail: `${before}went back to the operator: ${formatMoney(conflict.amountCents)}` };
  const { rainId, redPacketId, userId, amountCents } = conflict.existing;
  return { outcome: 'giveUp', reason, detail: `${before}in the book: ${JSON.stringify({ rainId, redPacketId, userId, amount: formatMoney(amountCents) })}` };
}

/** @throws BatchRefused when the book understood and refused; a fault as it is. @param before what has happened already */
export async function orRefused<T>(asked: Promise<T>, before = ''): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal ? new BatchRefused(`${before}${refusal.code}: ${refusal.message}`, { cause: error }) : error;
  }
}
