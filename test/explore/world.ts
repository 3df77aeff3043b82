import type { RedisClient } from '../../src/platform/redis/connect.ts';
import { shardKeys } from '../../src/store/keys.ts';
import { parseClaim } from '../../src/rain/claim.ts';

/** Keys of a shard at one step, as Redis dumps them. */
type Image = Map<string, Buffer | null>;

/** Which moments of a shard a replica may be at: those since its last confirmation, or the latest ones. */
export type Keeping = 'none' | 'unconfirmed' | 'latest';
const LATEST = 12;

/**
 * The content of Redis after each step, seen by somebody who sees all shards at once. It also plays the replicas: a
 * shard can be put back to an earlier moment.
 */
export class World {
  readonly redis: RedisClient;
  readonly rainId: string;
  readonly shards: number;
  readonly #keeps: Keeping;
  /** For each step and shard: nothing in its list, nothing on its way from it. */
  readonly #empty: boolean[][] = [];
  readonly #images: { step: number; image: Image }[][];

  constructor(redis: RedisClient, rainId: string, shards: number, keeps: Keeping) {
    this.redis = redis;
    this.rainId = rainId;
    this.shards = shards;
    this.#keeps = keeps;
    this.#images = Array.from({ length: shards }, () => []);
  }

  /** The number of the latest step. */
  get now(): number {
    return this.#empty.length - 1;
  }

  async begin(): Promise<void> {
    this.#empty.push([]);
    for (let shard = 0; shard < this.shards; shard++) this.#empty[0]![shard] = await this.#isEmpty(shard);
    for (let shard = 0; shard < this.shards; shard++) await this.#keep(shard);
  }

  /** To be called after each step, with the shard that it has touched. */
  async look(shard: number | undefined): Promise<void> {
    const before = this.#empty.at(-1)!;
    this.#empty.push(shard === undefined ? before : before.with(shard, await this.#isEmpty(shard)));
    if (shard !== undefined) await this.#keep(shard);
  }

  async #isEmpty(shard: number): Promise<boolean> {
    const { packets, sending } = shardKeys(this.rainId, shard);
    const [left, onTheirWay] = await Promise.all([this.redis.llen(packets), this.redis.hlen(sending)]);
    return left + onTheirWay === 0;
  }

  async #keep(shard: number): Promise<void> {
    if (this.#keeps === 'none') return;
    const names = Object.values(shardKeys(this.rainId, shard));
    const dumps = await Promise.all(names.map((name) => this.redis.dumpBuffer(name)));
    const images = this.#images[shard]!;
    images.push({ step: this.now, image: new Map(names.map((name, i) => [name, dumps[i] as Buffer | null])) });
    if (this.#keeps === 'latest' && images.length > LATEST) images.shift();
  }

  /** The replicas of this shard have everything up to now. */
  confirm(shard: number): void {
    if (this.#keeps === 'unconfirmed') this.#images[shard] = this.#images[shard]!.slice(-1);
  }

  /** A replica takes over that lacks what came after one of the moments since the last confirmation. */
  async failOver(shard: number, choose: (moments: number) => number): Promise<void> {
    const images = this.#images[shard]!;
    const { step, image } = images[choose(images.length)]!;
    for (const [name, dump] of image) {
      if (dump) await this.redis.restore(name, 0, dump, 'REPLACE');
      else await this.redis.del(name);
    }
    // A step that was undone never was.
    for (let at = step + 1; at <= this.now; at++)
      this.#empty[at] = this.#empty[at]!.with(shard, this.#empty[step]![shard]!);
    this.#images[shard] = [{ step: this.now, image }];
  }

  /** Whether there was a moment in these steps, both included, at which no packet was nobody's. */
  wasEmpty(from: number, to: number): boolean {
    return this.#empty.slice(from, to + 1).some((shards) => shards.every(Boolean));
  }

  /** All claims of the logs, and where every packet is. */
  async readAll(): Promise<{ claims: { userId: string; redPacketId: string }[]; packets: string[] }> {
    const claims: { userId: string; redPacketId: string }[] = [];
    const packets: string[] = [];
    const arrived = new Set<string>();
    const onTheirWay: [string, string[]][] = [];
    for (let shard = 0; shard < this.shards; shard++) {
      const keys = shardKeys(this.rainId, shard);
      for (const entry of await this.redis.lrange(keys.claims, 0, -1)) {
        const parsed = parseClaim(entry);
        if (parsed.ok) claims.push(parsed.claim);
      }
      packets.push(...(await this.redis.lrange(keys.packets, 0, -1)));
      for (const moveId of await this.redis.hkeys(keys.received)) arrived.add(moveId);
      for (const [moveId, elements] of Object.entries(await this.redis.hgetall(keys.sending)))
        onTheirWay.push([moveId, JSON.parse(elements) as string[]]);
    }
    for (const [moveId, elements] of onTheirWay) if (!arrived.has(moveId)) packets.push(...elements);
    return { claims, packets: packets.map((element) => (JSON.parse(element) as { redPacketId: string }).redPacketId) };
  }
}
