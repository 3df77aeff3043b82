import type { Balance } from '../../credit/balance.ts';
import { ledgerBalance } from '../../credit/ledgerBalance.ts';
import { webhookBalance } from '../../credit/webhookBalance.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Config } from '../../runtime/config.ts';

/** Who keeps users' money, as BALANCE says. @throws when the webhook has no address or no secret, which loadConfig has refused */
export function keeperOf({ BALANCE, WEBHOOK_URL: url, WEBHOOK_SECRET: secret, WEBHOOK_BATCH_MAX: batchMax, WEBHOOK_TIMEOUT_MS: timeoutMs }: Config): (ledger: Ledger) => Balance {
  switch (BALANCE) {
    case 'ledger':
      return ledgerBalance;
    case 'webhook':
      if (url === undefined || secret === undefined) throw new TypeError('a webhook without an address or a secret');
      return (ledger) => webhookBalance(ledger, { url, secret, batchMax, timeoutMs });
    default:
      return BALANCE satisfies never;
  }
}
