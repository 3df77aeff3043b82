import type { PayoutProviderName } from '../ledger/rains.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { createPlanCheck } from '../ledger/planCheck.ts';
import type { PayoutProvider } from './payoutProvider.ts';
import { ledgerProvider } from './ledgerProvider.ts';
import { plannedOnly } from './plannedOnly.ts';
import { putOff, putOffUnknown } from './putOff.ts';

/** Rains whose payout provider is cached [R10]. */
const KNOWN_MAX = 1_000;

export interface NamedPayoutProvider {
  /** Its name in the ledger, which is assigned to rains that have none. */
  payoutProvider: PayoutProviderName;
  balance: PayoutProvider;
  /** Pays rains that were assigned one of these names before. */
  former?: Partial<Record<PayoutProviderName, PayoutProvider>>;
}

/** The setting PAYOUT_PROVIDER that pays rains of this provider. */
export function payoutSettingOf(name: PayoutProviderName): 'ledger' | 'webhook' {
  return name === 'ledger' ? 'ledger' : 'webhook';
}

type RainLedger = Pick<Ledger, 'credit' | 'rain' | 'actions' | 'assignPayout'>;

interface PayoutWarnings {
  /** This rain is paid by another provider than this process has. Called once per rain and process. */
  onElsewhere: (rainId: string, payoutProvider: PayoutProviderName) => void;
  /**
   * Seed or plan of this rain in the ledger differs from its commitment, so nothing is paid. Called once until they
   * match again.
   */
  onBrokenPlan: (rainId: string) => void;
}

interface PayoutProviders extends PayoutProvider {
  /** Finds the rain's payout provider, and assigns this process's provider when there is none. Safe to repeat. */
  meet(rainId: string): Promise<void>;
}

/**
 * Posts each rain to exactly one payout provider. A rehearsal is credited in the ledger, in test money. A real rain is
 * paid by the provider that was assigned first: a process with another PAYOUT_PROVIDER would pay users at the wrong
 * place, so it leaves the claims to the others. (The ledger would refuse, so even a process that skips this check pays
 * nothing twice.) No provider is asked about a claim that the plan of the rain does not hold [R14].
 */
export function payoutByProvider(
  ledger: RainLedger,
  { payoutProvider: own, balance, former = {} }: NamedPayoutProvider,
  { onElsewhere, onBrokenPlan }: PayoutWarnings,
): PayoutProviders {
  const check = createPlanCheck(ledger, onBrokenPlan);
  const planned = (provider: PayoutProvider) => plannedOnly(provider, check);
  const [real, testMoney] = [planned(balance), planned(ledgerProvider(ledger))];
  const here = new Map<PayoutProviderName, PayoutProvider>([[own, real]]);
  for (const [name, provider] of Object.entries(former)) here.set(name as PayoutProviderName, planned(provider));
  // Both the kind of a rain and its payout provider never change.
  const providers = new Map<string, PayoutProvider>();

  async function find(rainId: string): Promise<PayoutProvider> {
    const rain = await ledger.rain(rainId);
    // Not remembered: the ledger may have it again.
    if (!rain) return absent;
    const payoutProvider = rain.terms.rehearsal ? undefined : await ledger.assignPayout(rainId, own);
    const found = payoutProvider === undefined ? testMoney : here.get(payoutProvider);
    const provider = found ?? elsewhere(payoutProvider!, own);
    if (providers.size >= KNOWN_MAX) providers.clear();
    providers.set(rainId, provider);
    if (!found) onElsewhere(rainId, payoutSettingOf(payoutProvider!));
    return provider;
  }

  const providerOf = async (rainId: string) => providers.get(rainId) ?? (await find(rainId));
  return {
    post: async (rainId, claims, apart) => (await providerOf(rainId)).post(rainId, claims, apart),
    meet: async (rainId) => void (await providerOf(rainId)),
  };
}

const absent: PayoutProvider = { post: async (rainId, claims) => putOffUnknown(rainId, claims) };

function elsewhere(payoutProvider: PayoutProviderName, own: PayoutProviderName): PayoutProvider {
  const detail = `this rain is paid with PAYOUT_PROVIDER=${payoutSettingOf(payoutProvider)}, and this process has PAYOUT_PROVIDER=${payoutSettingOf(own)}`;
  return { post: async (_rainId, claims) => putOff(claims, detail) };
}
