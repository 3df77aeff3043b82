import { CallerBuckets, type CallerBucket } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';
import { BanList } from './banList.ts';
import { end, type Session } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';

/** Limits messages per user and per address, over all sockets of this gateway, and bans users who ignore refusals. */
export class RateLimiter {
  readonly users: CallerBuckets;
  readonly addresses: CallerBuckets;
  readonly banList: BanList;
  readonly #counters: GatewayCounters;

  constructor(limits: Limits, counters: GatewayCounters) {
    const remembered = { rememberMs: limits.violationWindowMs, rememberedMax: limits.bucketsRememberedMax };
    this.users = new CallerBuckets({ perSecond: limits.messagesPerSecondMax, ...remembered });
    this.addresses = new CallerBuckets({ perSecond: limits.messagesPerAddressPerSecondMax, ...remembered });
    this.banList = new BanList(limits, this.addresses);
    this.#counters = counters;
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
  retryInMs({ user, address }: Session, random: () => number = Math.random): number {
    const wait = Math.max(waitMs(user), waitMs(address));
    return Math.ceil(wait * (1 + random()));
  }

  /** Drops state that is no longer needed. To be called at intervals. */
  forget(): void {
    this.users.forget();
    this.addresses.forget();
    this.banList.forget();
  }
}

function waitMs({ bucket }: CallerBucket): number {
  return Math.max(1, bucket.getWaitTime(Math.max(1, bucket.bucketSize / 2)));
}
