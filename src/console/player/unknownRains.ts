import { createExpiringCache } from '../../wallet/cache.ts';

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
 * Counts rains that do not exist, each id once, by the address that asked for them; those that are being looked up
 * count as well. A hall shares one address: what one guest invents does not keep the others from a rain that is there.
 */
export class UnknownRains {
  readonly #missing;
  readonly #existing;
  readonly #now: () => number;
  /** By address: how many requests wait for each rain. */
  readonly #asking = new Map<string, Map<string, number>>();

  /** @param now monotonic ms */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#missing = createExpiringCache<{ ids: ReadonlySet<string>; until: number }>(LIMITS.addressesRemembered, now);
    this.#existing = createExpiringCache<true>(LIMITS.rainsRemembered, now);
  }

  /**
   * The address has asked for too many. A rain that it has asked for before is not counted again: its answer is cached.
   */
  exceeds(address: string, rainId: string): boolean {
    if (this.#existing.get(rainId)) return false;
    const [missing, asking] = [this.#missing.get(address)?.ids, this.#asking.get(address)];
    if (missing?.has(rainId) || asking?.has(rainId)) return false;
    return new Set([...(missing ?? []), ...(asking?.keys() ?? [])]).size >= LIMITS.perMinute;
  }

  async count<T>(address: string, rainId: string, read: () => Promise<T | undefined>): Promise<T | undefined> {
    const asking = this.#asking.get(address) ?? new Map<string, number>();
    this.#asking.set(address, asking.set(rainId, (asking.get(rainId) ?? 0) + 1));
    try {
      const found = await read();
      if (found === undefined) this.#miss(address, rainId);
      else this.#existing.set(rainId, true, WINDOW_MS);
      return found;
    } finally {
      const waiting = asking.get(rainId)! - 1;
      if (waiting > 0) asking.set(rainId, waiting);
      else asking.delete(rainId);
      if (asking.size === 0) this.#asking.delete(address);
    }
  }

  /** The minute begins with the first of them, and no request makes it longer. */
  #miss(address: string, rainId: string): void {
    const { ids, until } = this.#missing.get(address) ?? { ids: new Set<string>(), until: this.#now() + WINDOW_MS };
    this.#missing.set(address, { ids: new Set([...ids, rainId]), until }, until - this.#now());
  }
}
