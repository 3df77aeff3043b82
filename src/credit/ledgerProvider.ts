import type { Conflict } from '../ledger/classifyConflict.ts';
import type { Posting } from '../ledger/credit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { refusalOf } from '../ledger/refusal.ts';
import { formatMoney } from '../rain/money.ts';
import type { DeadReason } from './deadLetter.ts';
import { BatchRefused, type PayoutProvider, type PostOutcome } from './payoutProvider.ts';

/**
 * The payout provider of our own ledger. It never returns `reconsumeLater`: it posts the whole batch, or refuses, or
 * fails.
 */
export function ledgerProvider(ledger: Pick<Ledger, 'credit'>): PayoutProvider {
  return {
    post: async (_rainId, claims) => (await orRefused(ledger.credit(claims))).map((posting) => toOutcome(posting)),
  };
}

/**
 * The outcome of a posting.
 * @param before the events so far
 * @param reason the dead letter's, if it is a conflict
 */
export function toOutcome(posting: Posting, before = '', reason?: DeadReason): PostOutcome {
  return posting.outcome === 'posted' || posting.outcome === 'already'
    ? { outcome: 'commit' }
    : giveUpFor(posting, before, reason);
}

/**
 * The existing posting that blocks a claim, as its dead letter describes it.
 * @param before the events so far
 */
export function giveUpFor(conflict: Conflict, before = '', reason: DeadReason = conflict.outcome): PostOutcome {
  if (conflict.outcome === 'discarded')
    return {
      outcome: 'giveUp',
      reason,
      detail: `${before}went back to the operator: ${formatMoney(conflict.amountCents)}`,
    };
  const { rainId, redPacketId, userId, amountCents } = conflict.existing;
  return {
    outcome: 'giveUp',
    reason,
    detail: `${before}in the ledger: ${JSON.stringify({ rainId, redPacketId, userId, amount: formatMoney(amountCents) })}`,
  };
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
