import type { NamedPayoutProvider } from '../../credit/payoutProviders.ts';
import { ledgerProvider } from '../../credit/ledgerProvider.ts';
import { webhookProviders } from '../../credit/webhookProvider.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Config } from '../../platform/config.ts';

/** Every provider needs the ledger: an external wallet pays only what the ledger has reserved. */
export type OpenPayoutProvider = (ledger: Ledger) => NamedPayoutProvider;

export const OUR_LEDGER: OpenPayoutProvider = (ledger) => ({
  payoutProvider: 'ledger',
  balance: ledgerProvider(ledger),
});

/**
 * The provider that PAYOUT_PROVIDER names.
 * @throws when the webhook has no address or secret, which loadConfig refuses before
 */
export function payoutProviderOf(config: Config): OpenPayoutProvider {
  const {
    PAYOUT_PROVIDER: setting,
    WEBHOOK_URL: url,
    WEBHOOK_SECRET: secret,
    WEBHOOK_RECEIPTS: receipts,
    WEBHOOK_BATCH_MAX: batchMax,
    WEBHOOK_TIMEOUT_MS: timeoutMs,
  } = config;
  switch (setting) {
    case 'ledger':
      return OUR_LEDGER;
    case 'webhook':
      if (url === undefined || secret === undefined) throw new TypeError('a webhook without an address or a secret');
      return (ledger) => {
        const { webhook_v2: balance, ...former } = webhookProviders(ledger, {
          url,
          secret,
          receipts,
          batchMax,
          timeoutMs,
        });
        return { payoutProvider: 'webhook_v2', balance, former };
      };
    default:
      return setting satisfies never;
  }
}
