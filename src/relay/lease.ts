import { run } from '../store/scripts.ts';
import type { RedisClient } from '../platform/redis/connect.ts';

/** Longer than one visit to a log takes; after a relay dies, another one takes its logs after this time. */
const LEASE_MS = 5_000;

/** Anybody who can write to Redis can hold a lease for ever, and no honest relay would carry the log. */
const LEASED_MS = 30_000;
/** Leases of others that are watched [R10]. */
const REFUSED_MAX = 1_000;

/**
 * The logs that this relay carries. A lease saves work, and without it no cursor is moved; see lua/lease.lua and
 * lua/relay.lua.
 */
export type Leases = ReturnType<typeof createLeases>;

/**
 * @param owner unique among all relays of all processes
 * @param leasedMs how long another relay may hold a lease without any progress
 */
export function createLeases(redis: RedisClient, owner: string, leaseMs = LEASE_MS, leasedMs = LEASED_MS) {
  const held = new Set<string>();
  /** Leases that others hold: how far the work was when it was last seen to move, and when, `performance.now()`. */
  const refused = new Map<string, { progress: string; since: number }>();
  /** @returns whether the work stands still */
  function standsStill(name: string, progress: string): boolean {
    const before = refused.get(name);
    if (before?.progress === progress) return performance.now() - before.since >= leasedMs;
    if (refused.size >= REFUSED_MAX) refused.clear();
    refused.set(name, { progress, since: performance.now() });
    return false;
  }
  return {
    owner,
    /**
     * Takes or renews the lease; by force when the work stands still, for the lease only saves work.
     * @param work the kind of work, and how far it is
     * @returns false: another relay carries this log
     */
    async hold(key: string, [work, progress]: readonly [work: 'carry' | 'resend', progress: string]): Promise<boolean> {
      const name = `${work} ${key}`;
      const take = () => run(redis, 'lease', [key], [owner, leaseMs]);
      let mine = (await take()) === 1;
      if (!mine && standsStill(name, progress)) {
        await redis.del(key);
        mine = (await take()) === 1 || work === 'resend';
      }
      if (mine) refused.delete(name);
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
