import { createExpiringCache } from '../../wallet/cache.ts';
import { WaitingLines } from './waitingLines.ts';

/** Protects the ledger, which reads for each id that it does not know [R10]. */
const LIMITS = {
  /**
   * Rains that do not exist, asked for by one address. A crowd behind one address asks for few rains, each of them many
   * times.
   */
  perMinute: 60,
  addressesRemembered: 5_000,
  /** Rains that exist, whoever has asked for them. */
  rainsRemembered: 1_000,
} as const;
const WINDOW_MS = 60_000;

/**
 * Counts rains that do not exist, each id once, by the address that asked for them. Beyond the limit the address looks up
 * others more slowly. A hall shares one address: invented ids of one guest do not keep the others from a real rain.
 */
export class UnknownRains {
  readonly #missing;
  readonly #existing;
  readonly #now: () => number;
  readonly #lines = new WaitingLines();

  /** @param now monotonic ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#missing = createExpiringCache<{ ids: ReadonlySet<string>; until: number }>(LIMITS.addressesRemembered, now);
    this.#existing = createExpiringCache<true>(LIMITS.rainsRemembered, now);
  }

  /** Too many look-ups of the address wait. */
  exceeds(address: string, rainId: string): boolean {
    return !this.#isCached(address, rainId) && this.#lines.isFull(address);
  }

  /** @param isGone whether nobody waits for the answer any more */
  async lookUp<T>(
    address: string,
    rainId: string,
    isGone: () => boolean,
    read: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const look = async () => {
      const found = await read();
      if (found !== undefined) this.#existing.set(rainId, true, WINDOW_MS);
      return found;
    };
    return this.#isCached(address, rainId)
      ? look()
      : this.#lines.lookUp(address, { isGone, look, isTooMany: () => this.#miss(address, rainId) });
  }

  /** Whether the reader remembers the answer, as a rule: then it costs the ledger nothing. */
  #isCached(address: string, rainId: string): boolean {
    return (this.#existing.get(rainId) ?? this.#missing.get(address)?.ids.has(rainId)) === true;
  }

  /**
   * The minute begins with the first of them, and no request makes it longer.
   * @returns whether the address has asked for too many
   */
  #miss(address: string, rainId: string): boolean {
    const { ids, until } = this.#missing.get(address) ?? { ids: new Set<string>(), until: this.#now() + WINDOW_MS };
    if (ids.size >= LIMITS.perMinute) return true;
    this.#missing.set(address, { ids: new Set([...ids, rainId]), until }, until - this.#now());
    return false;
  }
}
