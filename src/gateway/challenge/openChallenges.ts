import type { TokenBucket } from 'limiter';
import type { Challenge } from '../../protocol/proofOfWork.ts';
import type { Limits } from '../limits.ts';
import { CallerBuckets, fullBucket, putLast } from '../ratelimit/tokenBuckets.ts';
import type { GatewayCounters } from '../telemetry/counters.ts';
import { ADDRESS_SHARE } from './limits.ts';
import { boundTo } from './tickets.ts';

interface OpenChallengesRules {
  limits: Limits;
  counters: GatewayCounters;
  /** Redis's clock as estimated here, epoch ms. */
  now: () => number;
  create: (userId: string, name: string) => Promise<Challenge>;
}

/** A user who asks for a ticket of a rain or sale. */
interface Asked {
  userId: string;
  name: string;
  address: string;
  /** An earlier challenge is worth nothing, epoch ms. */
  from: number;
}

/**
 * The challenges of the last minute, by user and rain or sale: whoever asks again, on another socket or over HTTP, gets
 * the same one, also when it is solved. New ones are limited per second, and an address has no more than its share
 * while others might need theirs.
 */
export class OpenChallenges {
  readonly #rules: OpenChallengesRules;
  readonly #rate: TokenBucket;
  readonly #byAddress: CallerBuckets;
  /** In the order of their creation. */
  readonly #open = new Map<string, { challenge: Promise<Challenge>; madeAt: number }>();

  constructor(rules: OpenChallengesRules) {
    const { challengesPerSecondMax, violationWindowMs, bucketsRememberedMax } = rules.limits;
    this.#rules = rules;
    this.#rate = fullBucket(challengesPerSecondMax);
    this.#byAddress = new CallerBuckets({
      perSecond: ADDRESS_SHARE * challengesPerSecondMax,
      rememberMs: violationWindowMs,
      rememberedMax: bucketsRememberedMax,
    });
  }

  get size(): number {
    return this.#open.size;
  }

  /** @returns undefined: too many are asked for now */
  of({ userId, name, address, from }: Asked): Promise<Challenge> | undefined {
    const { limits, counters, now, create } = this.#rules;
    const key = boundTo(userId, name);
    const known = this.#open.get(key);
    const madeAt = now();
    if (known && known.madeAt >= from && madeAt - known.madeAt < limits.challengeMs / 2) return known.challenge;
    if (!this.#mayCreate(address)) {
      counters.refused.challenges++;
      return undefined;
    }
    counters.issued.challenge++;
    const challenge = create(userId, name);
    putLast(this.#open, key, { challenge, madeAt }, limits.challengesRememberedMax);
    challenge.catch(() => {
      if (this.#open.get(key)?.challenge === challenge) this.#open.delete(key);
    });
    return challenge;
  }

  /** Drops what is not handed out again. To be called at intervals. */
  forget(): void {
    const before = this.#rules.now() - this.#rules.limits.challengeMs / 2;
    for (const [key, { madeAt }] of this.#open) {
      if (madeAt > before) break;
      this.#open.delete(key);
    }
    this.#byAddress.forget();
  }

  /** Beyond its share an address takes only what leaves as much for others. */
  #mayCreate(address: string): boolean {
    const rate = this.#rate;
    rate.drip();
    if (!this.#byAddress.take(address) && rate.content - 1 < ADDRESS_SHARE * rate.bucketSize) return false;
    return rate.tryRemoveTokens(1);
  }
}
