import type { TokenBucket } from 'limiter';
import { CallerBuckets, fullBucket, type CallerBucket } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';
import { BanList } from './banList.ts';
import { end, type Session } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';

/** Limits messages per user and per address, over all sockets of this gateway, and handshakes; bans users who ignore refusals. */
export class RateLimiter {
  readonly users: CallerBuckets;
  readonly addresses: CallerBuckets;
  readonly banList: BanList;
  readonly #handshakes: TokenBucket;
  readonly #handshakesByAddress: CallerBuckets;
  readonly #counters: GatewayCounters;

  constructor(limits: Limits, counters: GatewayCounters) {
    const remembered = { rememberMs: limits.violationWindowMs, rememberedMax: limits.bucketsRememberedMax };
    this.users = new CallerBuckets({ perSecond: limits.messagesPerSecondMax, ...remembered });
    this.addresses = new CallerBuckets({ perSecond: limits.messagesPerAddressPerSecondMax, ...remembered });
    this.banList = new BanList(limits, this.addresses);
    this.#handshakes = fullBucket(limits.handshakesPerSecondMax);
    this.#handshakesByAddress = new CallerBuckets({ perSecond: limits.handshakesPerAddressPerSecondMax, ...remembered });
    this.#counters = counters;
  }

  /** @returns the limit that this handshake exceeds. An address beyond its own limit uses nothing of the total */
  takeHandshake(address: string): 'handshakes' | 'handshakes_per_address' | undefined {
    if (!this.#handshakesByAddress.take(address)) return 'handshakes_per_address';
    return this.#handshakes.tryRemoveTokens(1) ? undefined : 'handshakes';
  }

  /** Counts one message. @returns false when it is one too many; a user who does not stop is banned and closed */
  admit(session: Session): boolean {
    // The user's limit comes first, so that a refused message does not use up the limit of the address.
    if (!session.user.bucket.tryRemoveTokens(1)) {
      this.#counters.refused.messages_per_user++;
      if (this.banList.refuse(session.user, session.address.name)) end(session, 4430);
      return false;
    }
    if (session.address.bucket.tryRemoveTokens(1)) return true;
    this.#counters.refused.messages_per_address++;
    return false;
  }

  /** Retry delay after a refusal, ms: by then the bucket is at least half full. Random, so that users do not retry together. */
  retryInMs({ user, address }: Session): number {
    return Math.ceil(Math.max(waitMs(user), waitMs(address)) * (1 + Math.random()));
  }

  /** Drops state that is no longer needed. To be called at intervals. */
  forget(): void {
    for (const part of [this.users, this.addresses, this.banList, this.#handshakesByAddress]) part.forget();
  }
}

function waitMs({ bucket }: CallerBucket): number {
  return Math.max(1, bucket.getWaitTime(Math.max(1, bucket.bucketSize / 2)));
}
