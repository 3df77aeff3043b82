import { CallerBuckets, type CallerBucket } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';
import { BanList } from './banList.ts';
import { end, type Session } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';

/** How fast who is here may ask, and what becomes of those who do not listen. By user and by address, over all sockets of this gateway. */
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

  /** Counts one message. @returns false when it is one too many; its sender is closed when he does not stop */
  admit(session: Session): boolean {
    // The user first: what he asks too much is not taken from his neighbours.
    if (!session.user.bucket.tryRemoveTokens(1)) {
      this.#counters.refused.messages_per_user++;
      if (this.banList.refuse(session.user, session.address.name)) end(session, 4430);
      return false;
    }
    if (session.address.bucket.tryRemoveTokens(1)) return true;
    this.#counters.refused.messages_per_address++;
    return false;
  }

  /** When somebody who was refused may ask again, ms from now: his bucket is half full by then at least, and everybody hears another time. */
  retryInMs({ user, address }: Session, random: () => number = Math.random): number {
    const wait = Math.max(waitMs(user), waitMs(address));
    return Math.ceil(wait * (1 + random()));
  }

  /** Lets go who is no longer worth remembering. To be called now and then. */
  forget(): void {
    this.users.forget();
    this.addresses.forget();
    this.banList.forget();
  }
}

function waitMs({ bucket }: CallerBucket): number {
  return Math.max(1, bucket.getWaitTime(Math.max(1, bucket.bucketSize / 2)));
}
