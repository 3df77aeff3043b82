import type { TokenBucket } from 'limiter';
import { CallerBuckets, fullBucket } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';

/** Limits handshakes per second: in total and per address. */
export class Handshakes {
  readonly #all: TokenBucket;
  readonly #byAddress: CallerBuckets;

  constructor({ handshakesPerSecondMax, handshakesPerAddressPerSecondMax, violationWindowMs, bucketsRememberedMax }: Limits) {
    this.#all = fullBucket(handshakesPerSecondMax);
    this.#byAddress = new CallerBuckets({ perSecond: handshakesPerAddressPerSecondMax, rememberMs: violationWindowMs, rememberedMax: bucketsRememberedMax });
  }

  /** @returns the limit that this handshake exceeds. An address beyond its own limit uses nothing of the total */
  take(address: string): 'handshakes' | 'handshakes_per_address' | undefined {
    if (!this.#byAddress.take(address)) return 'handshakes_per_address';
    return this.#all.tryRemoveTokens(1) ? undefined : 'handshakes';
  }

  /** To be called at intervals. */
  forget(): void {
    this.#byAddress.forget();
  }
}
