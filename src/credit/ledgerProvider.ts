import type { Posting } from '../ledger/credit.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PayoutProvider, PostOutcome } from './payoutProvider.ts';
import { giveUpFor, orRefused } from './conflict.ts';

/**
 * The payout provider of our own ledger. It never returns `reconsumeLater`: a claim that is not refused is posted with its
 * batch, or the whole batch is a fault.
 */
export function ledgerProvider(ledger: Pick<Ledger, 'credit'>): PayoutProvider {
  return {
    async post(_rainId, claims) {
      return (await orRefused(ledger.credit(claims))).map((posting) => toOutcome(posting));
    },
  };
}

function toOutcome(posting: Posting): PostOutcome {
  switch (posting.outcome) {
    case 'posted':
    case 'already':
      return { outcome: 'commit' };
    case 'discarded':
    case 'amount_differs':
    case 'told_twice':
      return giveUpFor(posting);
    default:
      return posting satisfies never;
  }
}
