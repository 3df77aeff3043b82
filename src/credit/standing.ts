import type { Turned } from '../ledger/judge.ts';
import { refusalOf } from '../ledger/refusal.ts';
import { formatMoney } from '../rain/money.ts';
import { BatchRefused, type PostOutcome } from './balance.ts';
import type { DeadReason } from './deadLetter.ts';

/** What stands in the book in the way of a claim, as its dead letter tells it. @param before what has happened already */
export function giveUp(turned: Turned, before = '', reason: DeadReason = turned.outcome): PostOutcome {
  if (turned.outcome === 'discarded') return { outcome: 'giveUp', reason, detail: `${before}went back to the operator: ${formatMoney(turned.amountCents)}` };
  const { rainId, redPacketId, userId, amountCents } = turned.standing;
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
