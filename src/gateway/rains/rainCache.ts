import { coarseLeft, findRain, liveRains, readRain, redisNow, type LiveRain, type RainSnapshotRead } from '../../store/rains.ts';
import type { RainSnapshot, WelcomeMessage } from '../../protocol/messages.ts';
import { stateAt } from '../../rain/rain.ts';
import { areUsual } from '../../rain/terms.ts';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { RedisClock } from './redisClock.ts';

/** A rain as it was read, and when the reading began. */
export interface CachedRain extends RainSnapshotRead {
  /** Epoch ms by Redis's clock, as far as it was known then. */
  readAt: number;
  /** The same moment, ms of the monotonic clock: Redis's may be set, or another's, and then the newer reading might seem to be the older. */
  lookedAt: number;
}

/** Older readings are no ground to say anything from: Redis may have been replaced meanwhile, ms. */
const READING_AGE_MS_MAX = 3_000;

/** Nothing that matters can have happened since without being heard of. */
export function isFresh({ lookedAt }: Pick<CachedRain, 'lookedAt'>): boolean {
  return performance.now() - lookedAt <= READING_AGE_MS_MAX;
}

/** What is new: a rain that is ready and that nobody has heard of, anything about a known one, or only how many packets of it are left. */
export type RainChange = 'rain' | 'change' | 'left';

interface RainCacheRules {
  redis: RedisClient;
  /** Called with each snapshot that viewers have not yet seen. */
  onChange: (snapshot: RainSnapshot, event: RainChange) => void;
  onFault: (error: unknown) => void;
  /** How long a telling that only informs, how many packets are left, comes after the one before, ms; default 0: at once. */
  restMs?: () => number;
  /** How often Redis is read again, ms: the longest a lost event can go unnoticed. */
  pollMs?: number;
}

/**
 * The rains this gateway knows, as of the last look at Redis, and Redis's clock [R7]. It only informs viewers;
 * whether a grab is granted is decided by the script alone.
 */
export class RainCache {
  readonly #rules: Required<RainCacheRules>;
  readonly #rains = new Map<string, CachedRain>();
  /** What was last told about each rain, without the time, and when, ms of the monotonic clock. */
  readonly #told = new Map<string, { event: string; left: number; at: number }>();
  /** Rains that have been ready when told. */
  readonly #announced = new Set<string>();
  /** Looks for unknown rains that are under way. */
  readonly #finding = new Map<string, Promise<void>>();
  readonly #clock = new RedisClock();
  #timer: NodeJS.Timeout | undefined;
  /** When all rains are to be read again, ms of the monotonic clock: looks at single ones, of which there may be many, do not put it off. */
  #rereadAt = 0;
  #closed = false;

  constructor(rules: RainCacheRules) {
    this.#rules = { pollMs: 1_000, restMs: () => 0, ...rules };
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

  /** How far `now` may be from the truth, ms. */
  clockErrorMs(): number {
    return this.#clock.errorMs();
  }

  /** The last look at this rain. */
  reading(rainId: string): CachedRain | undefined {
    return this.#rains.get(rainId);
  }

  shardsOf(rainId: string): number | undefined {
    return this.#rains.get(rainId)?.shards;
  }

  /**
   * For a rain that is not known yet: it may have been created a moment ago.
   * @throws when it is not known and Redis cannot be asked
   */
  async find(rainId: string): Promise<RainSnapshot | undefined> {
    if (!this.#rains.has(rainId)) {
      // A thousand early taps on a rain are one question to Redis.
      const asked = this.#finding.get(rainId) ?? this.#look(rainId).finally(() => this.#finding.delete(rainId));
      this.#finding.set(rainId, asked);
      await asked;
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
      .sort((a, b) => a.opensAt - b.opensAt).slice(0, 50);
  }

  /** Reads one rain again and tells viewers if it looks different. Never throws. */
  async refresh(rainId: string): Promise<void> {
    try {
      await this.#look(rainId);
    } catch (error) {
      this.#rules.onFault(error);
    }
  }

  async #look(rainId: string): Promise<void> {
    await this.#read(rainId, await findRain(this.#rules.redis, rainId));
    this.#schedule();
  }

  async #readAll(): Promise<void> {
    const asked = performance.now();
    this.#rereadAt = asked + this.#rules.pollMs;
    this.#clock.learn(await redisNow(this.#rules.redis), asked, performance.now());
    const found = await liveRains(this.#rules.redis);
    for (const [rainId, rain] of this.#rains) {
      if (found.has(rainId)) continue;
      // Out of the index: settled a moment ago, so that one more look tells, or settled long ago, or lost.
      if (rain.state === 'settled') this.#forget(rainId);
      else found.set(rainId, rain);
    }
    await Promise.all([...found].map(([rainId, live]) => this.#read(rainId, live)));
  }

  async #read(rainId: string, live: LiveRain | undefined): Promise<void> {
    const [readAt, lookedAt] = [this.now(), performance.now()];
    const reading = live && await readRain(this.#rules.redis, rainId, live);
    if (!reading) return this.#forget(rainId);
    // Two looks may be under way, and the one that was begun earlier may end later.
    if (lookedAt < (this.#rains.get(rainId)?.lookedAt ?? 0)) return;
    this.#rains.set(rainId, { ...reading, readAt, lookedAt });
    this.#tell(rainId);
  }

  #forget(rainId: string): void {
    this.#rains.delete(rainId);
    this.#told.delete(rainId);
    this.#announced.delete(rainId);
  }

  #tell(rainId: string): void {
    const snapshot = this.snapshot(rainId)!;
    const { serverTime: _, left, ...others } = snapshot;
    const event = JSON.stringify(others);
    const before = this.#told.get(rainId);
    if (before?.event === event && (before.left === left || !this.#mayTellLeft(left, before.at))) return;
    this.#told.set(rainId, { event, left, at: performance.now() });
    // Settled long ago and found again by a late join: who asked is answered, and for all others it is no news.
    if (before === undefined && snapshot.state === 'settled') return;
    const fresh = snapshot.state !== 'draft' && !this.#announced.has(rainId);
    if (fresh) this.#announced.add(rainId);
    this.#rules.onChange(snapshot, fresh ? 'rain' : before?.event === event && left > 0 ? 'left' : 'change');
  }

  /** That none is left is news; how many are is worth a word now and then, the more seldom the more are to be told. A later look tells it. */
  #mayTellLeft(left: number, toldAt: number): boolean {
    return left === 0 || performance.now() - toldAt >= this.#rules.restMs();
  }

  /** Wakes at the next opening or end of a rain, or when it is time to look at Redis again. */
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
    for (const rainId of this.#rains.keys()) this.#tell(rainId);
    try {
      await this.#readAll();
    } catch (error) {
      this.#rules.onFault(error);
    }
    this.#schedule();
  }
}

function describe(rain: RainSnapshotRead, now: number): WelcomeMessage['rains'][number] {
  const { rainId, title, opensAt, closesAt, packets } = rain;
  return {
    rainId, title, state: stateAt(rain, now), opensAt, closesAt, packets, left: coarseLeft(rain.left, packets),
    // Beside the terms, since clients that know of no terms tell their players by it.
    ...(rain.terms.rehearsal && { rehearsal: rain.terms.rehearsal }),
    ...(!areUsual(rain.terms) && { terms: rain.terms }),
    ...(rain.commitment !== undefined && { commitment: rain.commitment }),
    ...(rain.topUps && { topUps: rain.topUps }),
    ...(rain.reveal && { seed: rain.reveal.seed, plan: rain.reveal.plan, shards: rain.shards }),
  };
}
