import type { RedisClient } from '../platform/redis/connect.ts';
import { run } from './scripts.ts';

/** After a gateway dies another one builds in its place after this time. */
const LEASE_MS = 5_000;
/** How often a lease is renewed, ms. */
const RENEW_MS = 1_000;
/**
 * Anybody who can write to Redis can hold a lease for ever, and no gateway would build: after so long one builds in any
 * case.
 */
const REFUSED_MS_MAX = 60_000;
/** Leases of others that are watched [R10]. */
const REFUSED_MAX = 1_000;

/**
 * A lease to build what all gateways share. It only saves work: with it nothing is decided, and two that build do no
 * harm.
 * @param owner unique among all processes
 * @param refusedMs how long another one may hold a lease
 */
export function createBuildLease(redis: RedisClient, owner: string, refusedMs = REFUSED_MS_MAX) {
  /** Since when another one holds the lease, `performance.now()`. */
  const refused = new Map<string, number>();
  let renewedAt = 0;
  const take = (key: string) => run(redis, 'lease', [key], [owner, LEASE_MS]);
  return {
    /** @returns false: another gateway builds */
    async take(key: string): Promise<boolean> {
      renewedAt = performance.now();
      const since = refused.get(key) ?? renewedAt;
      if ((await take(key)) !== 1 && renewedAt - since < refusedMs) {
        if (refused.size >= REFUSED_MAX) refused.clear();
        refused.set(key, since);
        return false;
      }
      refused.delete(key);
      return true;
    },
    /** Renews it when it is time. Whether another one has it by now does not matter. */
    async keep(key: string): Promise<void> {
      if (performance.now() - renewedAt < RENEW_MS) return;
      renewedAt = performance.now();
      await take(key);
    },
    async release(key: string): Promise<void> {
      await run(redis, 'lease', [key], [owner, 0]);
    },
  };
}
