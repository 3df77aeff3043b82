import type { TokenBucket } from 'limiter';
import { CallerBuckets, fullBucket, type CallerBucket } from './tokenBuckets.ts';
import type { Limits } from '../limits.ts';
import type { Hub } from '../broadcast/hub.ts';
import { BanList } from './banList.ts';
import { RecentUsers } from './recentUsers.ts';
import { end } from '../sockets/session.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';

type Sender = Readonly<Record<'user' | 'address', CallerBucket>>;

/**
 * Limits messages per user and per address, over all sockets of this gateway, and handshakes; bans users who ignore
 * refusals.
 */
export class RateLimiter {
  readonly users: CallerBuckets;
  readonly addresses: CallerBuckets;
  readonly banList: BanList;
  /** Users over HTTP; those on sockets are in the hub. */
  readonly recentUsers: RecentUsers;
  readonly #hub: Hub;
  readonly #handshakes: TokenBucket;
  readonly #handshakesByAddress: CallerBuckets;
  readonly #counters: GatewayCounters;

  constructor(limits: Limits, counters: GatewayCounters, hub: Hub) {
    const remembered = { rememberMs: limits.violationWindowMs, rememberedMax: limits.bucketsRememberedMax };
    this.users = new CallerBuckets({ perSecond: limits.messagesPerSecondMax, ...remembered });
    this.addresses = new CallerBuckets({ perSecond: limits.messagesPerAddressPerSecondMax, ...remembered });
    this.recentUsers = new RecentUsers({ rememberMs: limits.bannedMs, rememberedMax: limits.bucketsRememberedMax });
    this.#hub = hub;
    this.banList = new BanList(limits, (address) => this.#usersAt(address));
    this.#handshakes = fullBucket(limits.handshakesPerSecondMax);
    this.#handshakesByAddress = new CallerBuckets({
      perSecond: limits.handshakesPerAddressPerSecondMax,
      ...remembered,
    });
    this.#counters = counters;
  }

  /** @returns the limit that this handshake exceeds. An address beyond its own limit uses nothing of the total */
  takeHandshake(address: string): 'handshakes' | 'handshakes_per_address' | undefined {
    if (!this.#handshakesByAddress.take(address)) return 'handshakes_per_address';
    return this.#handshakes.tryRemoveTokens(1) ? undefined : 'handshakes';
  }

  /**
   * Counts one message, on a socket or not.
   * @returns false when it is one too many; who does not stop is banned, on all sockets
   */
  admit({ user, address }: Sender): boolean {
    // The user's limit comes first, so that a refused message does not use up the limit of the address.
    if (!user.bucket.tryRemoveTokens(1)) {
      this.#counters.refused.messages_per_user++;
      if (this.banList.refuse(user, address.name)) for (const session of this.#hub.of(user.name)) end(session, 4430);
      return false;
    }
    if (address.bucket.tryRemoveTokens(1)) return true;
    this.#counters.refused.messages_per_address++;
    return false;
  }

  /**
   * Retry delay after a refusal, ms: by then the bucket is at least half full. Random, so that users do not retry
   * together.
   */
  retryInMs({ user, address }: Sender): number {
    return Math.ceil(Math.max(waitMs(user), waitMs(address)) * (1 + Math.random()));
  }

  /** Drops state that is no longer needed. To be called at intervals. */
  forget(): void {
    for (const part of [this.users, this.addresses, this.banList, this.recentUsers, this.#handshakesByAddress])
      part.forget();
  }

  *#usersAt(address: string): Iterable<string> {
    for (const session of this.#hub) if (session.address.name === address) yield session.userId;
    yield* this.recentUsers.at(address);
  }
}

function waitMs({ bucket }: CallerBucket): number {
  return Math.max(1, bucket.getWaitTime(Math.max(1, bucket.bucketSize / 2)));
}
