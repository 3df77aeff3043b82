import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { learnMasters, masterOf, slotOf } from '../../platform/redis/owner.ts';
import { LEARN_MS, LOOKING_MS_MAX } from './limits.ts';

/** Slots that one server owns now, and another one, or a connection that was lost, owned when they were last checked. */
interface Replaced {
  concerns: (key: string) => boolean;
  /** To be called when all that was told of these slots is in place. */
  checked: () => void;
}

/**
 * Which shards of a Redis Cluster have another master than the one that has all that their users were told. A new connection to the
 * same server counts as another master: it may have come back with less. Of a single Redis nothing is ever replaced here: its
 * connection as a whole is watched.
 *
 *     not seen ──first asked for──▶ checked ──owner is another connection──▶ replaced ──all found or put back──▶ checked
 */
export function watchMasters(redis: RedisClient, onReplaced: () => void) {
  const checked = new Map<number, Redis>();
  const replaced = new Map<number, { by: Redis | undefined; until: number }>();
  let learntAt = -Infinity;

  /** Whether grabs of this shard or sale wait: for a bounded time while it is checked, and while it has no master that could answer. */
  function waits(key: string): boolean {
    if (!(redis instanceof Cluster)) return false;
    const slot = slotOf(redis, key);
    const owner = masterOf(redis, slot)?.connection;
    const before = checked.get(slot);
    if (!before && owner) checked.set(slot, owner);
    if (!before || (before === owner && !replaced.has(slot))) return false;
    const now = performance.now();
    let change = replaced.get(slot);
    if (!change || change.by !== owner) {
      replaced.set(slot, change = { by: owner, until: now + LOOKING_MS_MAX });
      onReplaced();
    }
    // Nothing that is sent would tell the client of the new master.
    if (!owner && now >= learntAt + LEARN_MS) {
      learntAt = now;
      learnMasters(redis);
    }
    return !owner || now < change.until;
  }

  return {
    waits,
    /** Those that can be checked now, by master. */
    replaced(): Replaced[] {
      const byMaster = new Map<Redis, Set<number>>();
      for (const [slot, { by }] of replaced) if (by) byMaster.set(by, (byMaster.get(by) ?? new Set()).add(slot));
      return [...byMaster].map(([by, slots]) => ({
        concerns: (key) => slots.has(slotOf(redis, key)),
        checked() {
          for (const slot of slots) {
            checked.set(slot, by);
            if (replaced.get(slot)?.by === by) replaced.delete(slot);
          }
        },
      }));
    },
  };
}
