import type { Ledger } from '../ledger/ledger.ts';
import type { Balance } from './balance.ts';
import { ledgerBalance } from './ledgerBalance.ts';

/** Rains whose nature is remembered [R10]. */
const KNOWN_MAX = 1_000;

/**
 * Keeps rehearsals at home: what is won in one is credited in the book, in shadow money, and whoever keeps the real money is
 * never asked. (The book refuses to reserve for a rehearsal, so that even a wallet asked by mistake would hear of nothing.)
 */
export function sparingRehearsals(ledger: Pick<Ledger, 'credit' | 'rain'>, real: Balance): Balance {
  const shadow = ledgerBalance(ledger);
  // What a rain is, is decided for good when it is created.
  const known = new Map<string, Balance>();
  return {
    async post(rainId, claims, apart) {
      let balance = known.get(rainId);
      if (!balance) {
        const rain = await ledger.rain(rainId);
        balance = rain?.rehearsal ? shadow : real;
        if (known.size >= KNOWN_MAX) known.clear();
        if (rain) known.set(rainId, balance);
      }
      return balance.post(rainId, claims, apart);
    },
  };
}
