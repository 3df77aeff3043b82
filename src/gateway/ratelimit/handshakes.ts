import { TokenBucket } from 'limiter';
import { CallerBuckets } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';

/** How many may knock in a second: altogether, and from one address. */
export class Handshakes {
  readonly #all: TokenBucket;
  readonly #byAddress: CallerBuckets;

  constructor({ handshakesPerSecondMax, handshakesPerAddressPerSecondMax, violationWindowMs, bucketsRememberedMax }: Limits) {
    this.#all = new TokenBucket({ bucketSize: handshakesPerSecondMax, tokensPerInterval: handshakesPerSecondMax, interval: 'second' });
    this.#all.content = handshakesPerSecondMax;
    this.#byAddress = new CallerBuckets({ perSecond: handshakesPerAddressPerSecondMax, rememberMs: violationWindowMs, rememberedMax: bucketsRememberedMax });
  }

  /** @returns the limit that this one is too many for; one address that knocks too often takes nothing from the others */
  take(address: string): 'handshakes' | 'handshakes_per_address' | undefined {
    if (!this.#byAddress.take(address)) return 'handshakes_per_address';
    return this.#all.tryRemoveTokens(1) ? undefined : 'handshakes';
  }

  /** To be called now and then. */
  forget(): void {
    this.#byAddress.forget();
  }
}
