import { shardKeys } from '../store/keys.ts';
import { run } from '../store/scripts.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/** Longer than one visit to a shard takes; after a relay dies, another one takes its shards after this time. */
const LEASE_MS = 5_000;

/** The shards that this relay carries. A lease saves work, and without it no cursor is moved; see lua/lease.lua and lua/relay.lua. */
export type Leases = ReturnType<typeof createLeases>;

/** @param owner unique among all relays of all processes */
export function createLeases(redis: RedisClient, owner: string, leaseMs = LEASE_MS) {
  const held = new Set<string>();
  return {
    owner,
    /** Takes or renews the lease. `false`: another relay carries this shard. */
    async hold(rainId: string, shard: number): Promise<boolean> {
      const key = shardKeys(rainId, shard).lease;
      const mine = (await run(redis, 'lease', [key], [owner, leaseMs])) === 1;
      if (mine) held.add(key);
      else held.delete(key);
      return mine;
    },
    /** Releases all leases, so that another relay need not wait. */
    async release(): Promise<void> {
      await Promise.all([...held].map((key) => run(redis, 'lease', [key], [owner, 0])));
      held.clear();
    },
  };
}
