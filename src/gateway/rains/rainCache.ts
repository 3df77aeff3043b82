import {
  coarseLeft,
  findRain,
  isLiveRain,
  isUnindexedRain,
  liveRains,
  rainsVersion,
  readRemains,
  redisNow,
  type LiveRain,
  type StoredRain,
} from '../../store/rains.ts';
import { hasOlderLabels, olderLabelsReason } from '../../store/olderLabels.ts';
import type { RainSnapshot, WelcomeMessage } from '../../protocol/messages.ts';
import { stateAt } from '../../rain/rain.ts';
import { areUsual } from '../../rain/terms.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { shownTicketRules, type OwnTicketRules } from '../challenge/rules.ts';
import type { Audience } from '../../rain/audience.ts';
import { READ_AROUND_MS } from './limits.ts';
import { RedisClock } from './redisClock.ts';
import { SnapshotCache, type Reading, type Remainder, type SnapshotCacheRules } from './snapshotCache.ts';
import { isListedFor, toList } from './visibility.ts';

/** A rain as read from Redis, and when the reading began. */
export type CachedRain = StoredRain & Reading;

interface RainCacheRules extends SnapshotCacheRules<StoredRain, RainSnapshot> {
  redis: RedisClient;
}

/**
 * The rains as last read from Redis, and Redis's clock [R7]. They only inform viewers; the script alone decides whether
 * a grab wins.
 */
export class RainCache extends SnapshotCache<LiveRain, StoredRain, RainSnapshot> {
  readonly #redis: RedisClient;
  readonly #clock = new RedisClock();

  constructor({ redis, ...rules }: RainCacheRules) {
    super(rules);
    this.#redis = redis;
  }

  now(): number {
    return this.#clock.now();
  }

  clockErrorMs(): number {
    return this.#clock.errorMs();
  }

  /** The rains that `welcome` lists for this user at this moment. */
  current(audience: Audience | undefined, now: number): WelcomeMessage['rains'] {
    return toList(
      [...this.readings()]
        .filter(({ rainId, terms }) => isListedFor(audience, 'rains', rainId, terms))
        .map((rain) => describe(rain, now, this.rules.ticketRules)),
    );
  }

  protected async readVersion(): Promise<string | undefined> {
    const sentAt = performance.now();
    this.#clock.learn(await redisNow(this.#redis), sentAt, performance.now());
    return await rainsVersion(this.#redis);
  }

  /**
   * A rain of which nothing is left changes with its version only, unless Redis is replaced: then a reading too old to
   * answer with sends the next grab to Redis.
   */
  protected isBusy({ state, opensAt, closesAt, drained }: StoredRain, now: number): boolean {
    return state !== 'settled' && !drained && now > opensAt - READ_AROUND_MS && now < closesAt + READ_AROUND_MS;
  }

  protected readIndex(): Promise<Map<string, LiveRain>> {
    return liveRains(this.#redis);
  }

  protected findLive(rainId: string): Promise<LiveRain | undefined> {
    return findRain(this.#redis, rainId);
  }

  protected isListed(rainId: string): Promise<boolean> {
    return isLiveRain(this.#redis, rainId);
  }

  protected isUnindexed(rainId: string): Promise<boolean> {
    return isUnindexedRain(this.#redis, rainId);
  }

  protected lacks({ lostShards }: StoredRain): boolean {
    return lostShards !== undefined;
  }

  protected liveOf({ shards, title, terms }: StoredRain): LiveRain {
    return { shards, title, ...(terms.rehearsal && { rehearsal: terms.rehearsal }) };
  }

  /**
   * @throws also for a rain that is there and cannot be read here: its users hear "busy", and not that it does not
   * exist
   */
  protected async readStored(rainId: string, live: LiveRain): Promise<StoredRain | undefined> {
    const stored = await readRemains(this.#redis, rainId, live);
    const isWhole = stored && !stored.lostShards;
    if (!isWhole && (await hasOlderLabels(this.#redis, rainId, live.shards)))
      throw new Error(olderLabelsReason(rainId));
    return stored;
  }

  protected show(rain: StoredRain, now: number): RainSnapshot {
    return { type: 'rain', ...describe(rain, now, this.rules.ticketRules), serverTime: now };
  }

  protected remainderOf({ serverTime: _, left, ...others }: RainSnapshot): Remainder {
    return { event: JSON.stringify(others), left: String(left), gone: left === 0 ? 'all' : '' };
  }
}

/** Several shards are read one after the other, so empty lists do not mean that nothing is left. */
function shownLeft({ left, drained, state }: StoredRain): number {
  return drained || state === 'closed' || state === 'settled' ? left : Math.max(1, left);
}

function describe(rain: StoredRain, now: number, own: OwnTicketRules): WelcomeMessage['rains'][number] {
  const { rainId, title, opensAt, closesAt, packets } = rain;
  const [state, left] = [stateAt(rain, now), shownLeft(rain)];
  return {
    rainId,
    title,
    state,
    opensAt,
    closesAt,
    packets,
    left: state === 'closed' || state === 'settled' ? left : coarseLeft(left, packets),
    // Sent in addition to the terms: older clients know only this field.
    ...(rain.terms.rehearsal && { rehearsal: rain.terms.rehearsal }),
    ...(!areUsual(rain.terms) && { terms: rain.terms }),
    ...shownTicketRules(own, rain),
    ...(rain.commitment !== undefined && { commitment: rain.commitment }),
    ...(rain.topUps && { topUps: rain.topUps }),
    ...(rain.reveal && { seed: rain.reveal.seed, plan: rain.reveal.plan, shards: rain.shards }),
  };
}
