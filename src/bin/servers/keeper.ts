import type { KeptBalance } from '../../credit/keepers.ts';
import { ledgerBalance } from '../../credit/ledgerBalance.ts';
import { webhookBalance } from '../../credit/webhookBalance.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Config } from '../../runtime/config.ts';

/** Takes the book's own part, too: a wallet elsewhere is asked only for what the book has reserved. */
export type OpenKeeper = (ledger: Ledger) => KeptBalance;

export const OUR_BOOK: OpenKeeper = (ledger) => ({ keeper: 'ledger', balance: ledgerBalance(ledger) });

/** Who keeps users' money, as BALANCE says. @throws when the webhook has no address or no secret, which loadConfig has refused */
export function keeperOf({ BALANCE: keeper, WEBHOOK_URL: url, WEBHOOK_SECRET: secret, WEBHOOK_BATCH_MAX: batchMax, WEBHOOK_TIMEOUT_MS: timeoutMs }: Config): OpenKeeper {
  switch (keeper) {
    case 'ledger':
      return OUR_BOOK;
    case 'webhook':
      if (url === undefined || secret === undefined) throw new TypeError('a webhook without an address or a secret');
      return (ledger) => ({ keeper, balance: webhookBalance(ledger, { url, secret, batchMax, timeoutMs }) });
    default:
      return keeper satisfies never;
  }
}
