import type { Posting, Standing } from '../ledger/credit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { refusalOf } from '../ledger/refusal.ts';
import { formatMoney } from '../rain/money.ts';
import { BatchRefused, type Balance, type PostOutcome } from './balance.ts';

/** The port, kept by our own book. */
export function ledgerBalance(ledger: Pick<Ledger, 'credit'>): Balance {
  return {
    async post(_rainId, claims) {
      try {
        return (await ledger.credit(claims)).map(toOutcome);
      } catch (error) {
        const refusal = refusalOf(error);
        throw refusal ? new BatchRefused(`${refusal.code}: ${refusal.message}`, { cause: error }) : error;
      }
    },
  };
}

function toOutcome(posting: Posting): PostOutcome {
  switch (posting.outcome) {
    case 'posted':
    case 'already':
      return { outcome: 'commit' };
    case 'discarded':
      return { outcome: 'giveUp', reason: posting.outcome, detail: `went back to the operator: ${formatMoney(posting.amountCents)}` };
    case 'amount_differs':
    case 'promised_twice':
      return { outcome: 'giveUp', reason: posting.outcome, detail: `in the book: ${tell(posting.standing)}` };
    default:
      return posting satisfies never;
  }
}

function tell({ rainId, redPacketId, userId, amountCents }: Standing): string {
  return JSON.stringify({ rainId, redPacketId, userId, amount: formatMoney(amountCents) });
}
