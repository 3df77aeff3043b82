import { shardOf } from '../../src/store/keys.ts';
import type { StoredState } from '../../src/rain/rain.ts';

/** The model of a rain, in memory: no Redis, no clock, no money. */
export class ModelRain {
  readonly shards: { state: StoredState; planned: number; loaded: number; won: number }[];
  /** user → the number of the user's packet */
  readonly claims = new Map<string, number>();
  readonly credited = new Set<string>();
  readonly window: 'before' | 'open' | 'over';
  constructor(packets: number, shards: number, window: ModelRain['window']) {
    this.window = window;
    const planned = (shard: number) =>
      Array.from({ length: packets }, (_, i) => i % shards).filter((of) => of === shard).length;
    this.shards = Array.from({ length: shards }, (_, i) => ({
      state: planned(i) > 0 ? 'draft' : 'loaded',
      planned: planned(i),
      loaded: 0,
      won: 0,
    }));
  }
  /** `code` or `code packet`, for each user in order. */
  grab(users: readonly string[]): string[] {
    return users.map((user) => {
      if (this.claims.has(user)) return `1 ${this.claims.get(user)}`;
      const shard = this.shards[shardOf(user, this.shards.length)]!;
      if (shard.state === 'closed' || shard.state === 'settled') return '-3';
      if (shard.state === 'draft' || this.window === 'before') return '-2';
      if (this.window === 'over') return '-3';
      if (shard.state === 'paused') return '-4';
      if (shard.won === shard.planned) return '-1';
      this.claims.set(user, shard.won++ * this.shards.length + this.shards.indexOf(shard));
      return `0 ${this.claims.get(user)}`;
    });
  }
  load(shard: number, offset: number, count: number): void {
    const at = this.shards[shard]!;
    if (at.state === 'draft' && at.loaded === offset) at.loaded = Math.min(offset + count, at.planned);
    if (at.state === 'draft' && at.loaded === at.planned) at.state = 'loaded';
  }
  turn(from: StoredState, to: StoredState): boolean {
    if (this.window === 'over' || this.shards.some(({ state }) => state !== from && state !== to)) return false;
    for (const shard of this.shards) shard.state = to;
    return true;
  }
  close(early: boolean): boolean {
    for (const shard of this.shards)
      if (shard.state !== 'settled' && (early || this.window === 'over')) shard.state = 'closed';
    return this.shards.every(({ state }) => state === 'closed' || state === 'settled');
  }
  settle(): 'not_due' | 'waiting' | 'settled' {
    if (!this.close(false)) return 'not_due';
    if (this.credited.size < this.claims.size) return 'waiting';
    for (const shard of this.shards) shard.state = 'settled';
    return 'settled';
  }
}
