import type { Conflict } from '../ledger/classifyConflict.ts';
import { refusalOf } from '../ledger/refusal.ts';
import { formatMoney } from '../rain/money.ts';
import { BatchRefused, type PostOutcome } from './payoutProvider.ts';
import type { DeadReason } from './deadLetter.ts';

/** The existing posting that blocks a claim, as its dead letter describes it. @param before what has already happened */
export function giveUpFor(conflict: Conflict, before = '', reason: DeadReason = conflict.outcome): PostOutcome {
  if (conflict.outcome === 'discarded') return { outcome: 'giveUp', reason, detail: `${before}went back to the operator: ${formatMoney(conflict.amountCents)}` };
  const { rainId, redPacketId, userId, amountCents } = conflict.existing;
  return { outcome: 'giveUp', reason, detail: `${before}in the ledger: ${JSON.stringify({ rainId, redPacketId, userId, amount: formatMoney(amountCents) })}` };
}

/** @throws BatchRefused when the ledger refused; any other fault unchanged. @param before what has already happened */
export async function orRefused<T>(posting: Promise<T>, before = ''): Promise<T> {
  try {
    return await posting;
  } catch (error) {
    const refusal = refusalOf(error);
    throw refusal ? new BatchRefused(`${before}${refusal.code}: ${refusal.message}`, { cause: error }) : error;
  }
}
