import type { PayoutProviderName } from '../ledger/assignPayout.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { PayoutProvider } from './payoutProvider.ts';
import { ledgerProvider } from './ledgerProvider.ts';

/** Rains whose payout provider is remembered [R10]. */
const KNOWN_MAX = 1_000;

export interface NamedPayoutProvider {
  /** By which name the book knows it. */
  payoutProvider: PayoutProviderName;
  balance: PayoutProvider;
}

interface PayoutProviders extends PayoutProvider {
  /** Finds out who keeps this rain's money, and takes it on where nobody does yet. Harmless to repeat. */
  meet(rainId: string): Promise<void>;
}

/**
 * Has each rain paid by one payout provider only. A rehearsal is kept at home: what is won in it is credited in the book, in shadow
 * money, and whoever keeps the real money is never asked. A real rain is paid by whoever took it on first: a process with another
 * PAYOUT_PROVIDER would pay its users where they do not look, so that it leaves the claims to the others. (The book refuses to
 * reserve for the one, and what was not reserved for the other, so that even a process that skips this pays nothing twice.)
 *
 * @param onElsewhere once per rain and process
 */
export function payoutByProvider(ledger: Pick<Ledger, 'credit' | 'rain' | 'assignPayout'>, { payoutProvider: own, balance: real }: NamedPayoutProvider, onElsewhere: (rainId: string, payoutProvider: PayoutProviderName) => void): PayoutProviders {
  const shadow = ledgerProvider(ledger);
  // Both what a rain is and who keeps it are decided for good.
  const known = new Map<string, PayoutProvider>();

  async function find(rainId: string): Promise<PayoutProvider> {
    const rain = await ledger.rain(rainId);
    // The book refuses what is won in a rain that it does not have.
    if (!rain) return real;
    const payoutProvider = rain.terms.rehearsal ? undefined : await ledger.assignPayout(rainId, own);
    const balance = payoutProvider === undefined ? shadow : payoutProvider === own ? real : elsewhere(payoutProvider, own);
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(rainId, balance);
    if (payoutProvider !== undefined && payoutProvider !== own) onElsewhere(rainId, payoutProvider);
    return balance;
  }

  const providerOf = async (rainId: string) => known.get(rainId) ?? await find(rainId);
  return {
    post: async (rainId, claims, apart) => (await providerOf(rainId)).post(rainId, claims, apart),
    meet: async (rainId) => void await providerOf(rainId),
  };
}

function elsewhere(payoutProvider: PayoutProviderName, own: PayoutProviderName): PayoutProvider {
  const detail = `this rain is paid with PAYOUT_PROVIDER=${payoutProvider}, and this process has PAYOUT_PROVIDER=${own}`;
  return { post: async (_rainId, claims) => claims.map(() => ({ outcome: 'reconsumeLater', detail })) };
}
