import type { Config } from '../../platform/config.ts';
import { findOnWallet as find, type Finding } from './finding.ts';

/** The faults in the settings of an external wallet; nothing where our own ledger pays. */
export function checkWallet({
  PAYOUT_PROVIDER,
  WEBHOOK_RECEIPTS,
}: Pick<Config, 'PAYOUT_PROVIDER' | 'WEBHOOK_RECEIPTS'>): Finding[] {
  if (PAYOUT_PROVIDER !== 'webhook') return [];
  const trusted = WEBHOOK_RECEIPTS === 'trust_status';
  return [
    find(
      'receipts',
      trusted ? 'warning' : 'ok',
      trusted ? 'trust_status: any 2xx and any 409 books a credit' : 'required',
      'required',
      'let the wallet send receipts, and set WEBHOOK_RECEIPTS=required: a misrouted request or a failing wallet books credits that nobody was paid',
    ),
  ];
}
