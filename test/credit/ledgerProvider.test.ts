import { ledgerProvider } from '../../src/credit/ledgerProvider.ts';
import { webhookProviders } from '../../src/credit/webhookProvider.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { balanceContract, type PayoutProviderName } from './contract.ts';
import { SECRET, startWallet } from './wallet.ts';

balanceContract('our own book', async (ledger) => ({ balance: ledgerProvider(ledger), stop: async () => {} }));

/** One that does as docs/reference/webhook.md says; what becomes of others stands in webhook.test.ts. */
const webhook =
  (batchMax: number) =>
  async (ledger: Ledger): Promise<PayoutProviderName> => {
    const wallet = await startWallet();
    return {
      balance: webhookProviders(ledger, {
        url: wallet.url,
        secret: SECRET,
        receipts: 'required',
        batchMax,
        timeoutMs: 10_000,
      }).webhook_v2,
      paid: wallet.paid,
      stop: wallet.stop,
    };
  };
balanceContract('a wallet that is asked for one claim at a time', webhook(1));
balanceContract('a wallet that is asked for many claims at a time', webhook(7));
