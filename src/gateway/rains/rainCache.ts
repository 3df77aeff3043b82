import { coarseLeft, findRain, liveRains, readRain, redisNow, type LiveRain, type StoredRain } from '../../store/rains.ts';
import type { RainSnapshot, WelcomeMessage } from '../../protocol/messages.ts';
import { stateAt } from '../../rain/rain.ts';
import { areUsual } from '../../rain/terms.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { POLL_MS, SNAPSHOT_AGE_MS_MAX, WELCOME_RAINS_MAX } from './limits.ts';
import { RedisClock } from './redisClock.ts';

/** A rain as read from Redis, and when the reading began. */
export interface CachedRain extends StoredRain {
  /** Epoch ms by Redis's clock as estimated then. */
  readAt: number;
  /** The same moment, ms of the monotonic clock. Redis's clock may be set or replaced; then a newer reading might seem older. */
  readAtMonotonic: number;
}

export function isFresh({ readAtMonotonic }: Pick<CachedRain, 'readAtMonotonic'>): boolean {
  return performance.now() - readAtMonotonic <= SNAPSHOT_AGE_MS_MAX;
}

/** `rain`: a rain is ready and was not announced before; `change`: anything about a known rain; `left`: only the packets left. */
export type RainChange = 'rain' | 'change' | 'left';

interface RainCacheRules {
  redis: RedisClient;
  /** Called with each snapshot that viewers have not received yet. */
  onChange: (snapshot: RainSnapshot, event: RainChange) => void;
  /** Called with a rain that Redis does not have any more, as it was last read. */
  onLeft?: (rain: CachedRain) => void;
  onFault: (error: unknown) => void;
  /** Minimum pause between two messages that only update the number of packets left, ms; default 0. */
  restMs?: () => number;
  pollMs?: number;
}

/** The rains as last read from Redis, and Redis's clock [R7]. They only inform viewers; the script alone decides whether a grab wins. */
export class RainCache {
  readonly #rules: Required<RainCacheRules>;
  readonly #rains = new Map<string, CachedRain>();
  /** What was last sent about each rain, without the time, and when, ms of the monotonic clock. */
  readonly #lastSent = new Map<string, { event: string; left: number; at: number }>();
  /** Rains that were sent at least once after they became ready. */
  readonly #announced = new Set<string>();
  /** Lookups of unknown rains that are in flight. */
  readonly #finding = new Map<string, Promise<void>>();
  readonly #clock = new RedisClock();
  #timer: NodeJS.Timeout | undefined;
  /** When all rains are to be read again, ms of the monotonic clock. Readings of single rains, which may be many, do not delay it. */
  #rereadAt = 0;
  #closed = false;

  constructor(rules: RainCacheRules) {
    this.#rules = { pollMs: POLL_MS, restMs: () => 0, onLeft: () => {}, ...rules };
  }

  /** @throws when Redis cannot be read: a gateway must not open without knowing the rains */
  async start(): Promise<void> {
    await this.#readAll();
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  /** Redis's clock as estimated here, epoch ms. */
  now(): number {
    return this.#clock.now();
  }

  clockErrorMs(): number {
    return this.#clock.errorMs();
  }

  /** The latest snapshot of this rain. */
  reading(rainId: string): CachedRain | undefined {
    return this.#rains.get(rainId);
  }

  /** Looks up a rain that is not known yet: it may have been created a moment ago. @throws when Redis cannot be read then */
  async find(rainId: string): Promise<RainSnapshot | undefined> {
    if (!this.#rains.has(rainId)) {
      // A thousand early grabs share one lookup in Redis.
      const lookup = this.#finding.get(rainId) ?? this.#readOne(rainId).finally(() => this.#finding.delete(rainId));
      this.#finding.set(rainId, lookup);
      await lookup;
    }
    return this.snapshot(rainId);
  }

  snapshot(rainId: string): RainSnapshot | undefined {
    const rain = this.#rains.get(rainId);
    if (!rain) return undefined;
    const now = this.now();
    return { type: 'rain', ...describe(rain, now), serverTime: now };
  }

  /** What `welcome` lists: scheduled, open and paused rains, the next one first. */
  current(): WelcomeMessage['rains'] {
    const now = this.now();
    return [...this.#rains.values()].map((rain) => describe(rain, now))
      .filter(({ state }) => state === 'loaded' || state === 'open' || state === 'paused')
      .sort((a, b) => a.opensAt - b.opensAt).slice(0, WELCOME_RAINS_MAX);
  }

  /** Reads one rain again and informs viewers of changes. Never throws. */
  refresh(rainId: string): Promise<void> {
    return this.#readOne(rainId).catch(this.#rules.onFault);
  }

  async #readOne(rainId: string): Promise<void> {
    await this.#read(rainId, await findRain(this.#rules.redis, rainId));
    this.#schedule();
  }

  async #readAll(): Promise<void> {
    const sentAt = performance.now();
    this.#rereadAt = sentAt + this.#rules.pollMs;
    this.#clock.learn(await redisNow(this.#rules.redis), sentAt, performance.now());
    const found = await liveRains(this.#rules.redis);
    for (const [rainId, rain] of this.#rains) {
      if (found.has(rainId)) continue;
      // Not in the index: settled a moment ago (one more reading shows it), settled long ago, or lost.
      if (rain.state === 'settled') this.#forget(rainId);
      else found.set(rainId, rain);
    }
    const read = await Promise.allSettled([...found].map(([rainId, live]) => this.#read(rainId, live)));
    // A key that somebody has spoiled must not keep the other rains from being read.
    for (const { reason } of read.filter((one) => one.status === 'rejected')) this.#rules.onFault(reason);
  }

  async #read(rainId: string, live: LiveRain | undefined): Promise<void> {
    const [readAt, readAtMonotonic] = [this.now(), performance.now()];
    const reading = live && await readRain(this.#rules.redis, rainId, live);
    if (!reading) return this.#forget(rainId);
    // Two readings may be in flight, and the earlier one may end later.
    if (readAtMonotonic < (this.#rains.get(rainId)?.readAtMonotonic ?? 0)) return;
    this.#rains.set(rainId, { ...reading, readAt, readAtMonotonic });
    this.#announceChange(rainId);
  }

  #forget(rainId: string): void {
    const rain = this.#rains.get(rainId);
    this.#rains.delete(rainId);
    this.#lastSent.delete(rainId);
    this.#announced.delete(rainId);
    if (rain) this.#rules.onLeft(rain);
  }

  #announceChange(rainId: string): void {
    const snapshot = this.snapshot(rainId)!;
    const { serverTime: _, left, ...others } = snapshot;
    const event = JSON.stringify(others);
    const before = this.#lastSent.get(rainId);
    if (before?.event === event && (before.left === left || !this.#maySendLeft(left, before.at))) return;
    this.#lastSent.set(rainId, { event, left, at: performance.now() });
    // Settled long ago and found again by a late join: only that join is answered.
    if (before === undefined && snapshot.state === 'settled') return;
    const fresh = snapshot.state !== 'draft' && !this.#announced.has(rainId);
    if (fresh) this.#announced.add(rainId);
    this.#rules.onChange(snapshot, fresh ? 'rain' : before?.event === event && left > 0 ? 'left' : 'change');
  }

  /** That none is left is sent at once. Other numbers are sent at intervals; a later reading sends the current one. */
  #maySendLeft(left: number, sentAt: number): boolean {
    return left === 0 || performance.now() - sentAt >= this.#rules.restMs();
  }

  /** Wakes at the next opening or end of a rain, or when Redis must be polled again. */
  #schedule(): void {
    if (this.#closed) return;
    clearTimeout(this.#timer);
    const now = this.now();
    let wait = this.#rereadAt - performance.now();
    for (const { opensAt, closesAt } of this.#rains.values()) {
      for (const moment of [opensAt, closesAt]) if (moment > now) wait = Math.min(wait, moment - now);
    }
    this.#timer = setTimeout(() => void this.#wake(), Math.max(1, wait));
  }

  async #wake(): Promise<void> {
    for (const rainId of this.#rains.keys()) this.#announceChange(rainId);
    await this.#readAll().catch(this.#rules.onFault);
    this.#schedule();
  }
}

function describe(rain: StoredRain, now: number): WelcomeMessage['rains'][number] {
  const { rainId, title, opensAt, closesAt, packets } = rain;
  return {
    rainId, title, state: stateAt(rain, now), opensAt, closesAt, packets, left: coarseLeft(rain.left, packets),
    // Sent in addition to the terms: older clients know only this field.
    ...(rain.terms.rehearsal && { rehearsal: rain.terms.rehearsal }),
    ...(!areUsual(rain.terms) && { terms: rain.terms }),
    ...(rain.commitment !== undefined && { commitment: rain.commitment }),
    ...(rain.topUps && { topUps: rain.topUps }),
    ...(rain.reveal && { seed: rain.reveal.seed, plan: rain.reveal.plan, shards: rain.shards }),
  };
}
