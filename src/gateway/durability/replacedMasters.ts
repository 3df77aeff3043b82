import { Cluster, type Redis } from 'ioredis';
import type { RedisClient } from '../../platform/redis/connect.ts';
import { learnMasters, masterOf, slotOf, slotsOwnedBy } from '../../platform/redis/owner.ts';
import { CHECK_RETRY_MS, LEARN_MS, LOOKING_MS_MAX, MASTER_RETRY_MS } from './limits.ts';

interface MasterRules {
  /**
   * Puts back what users were told of the shards and sales with these keys. Never rejects.
   * @returns whether all is in place
   */
  putBack: (concerns: (key: string) => boolean) => Promise<boolean>;
  onReplaced: () => void;
}

/**
 * Which shards of a Redis Cluster have another master than the one that has all that their users were told. A new
 * connection to the same server counts as another master: it may have come back with less. A single Redis is never
 * replaced here: its connection as a whole is watched.
 *
 *     not seen ──first asked for──▶ checked ──owner is another connection──▶ replaced ──all found or put back──▶ checked
 */
export function watchMasters(redis: RedisClient, { putBack, onReplaced }: MasterRules) {
  const checked = new Map<number, Redis>();
  const replaced = new Map<number, { by: Redis | undefined; until: number }>();
  /** Masters that are checked, or are about to be. */
  const underWay = new Set<Redis>();
  const timers = new Set<NodeJS.Timeout>();
  let learntAt = -Infinity;
  let closed = false;

  /**
   * Whether grabs of this shard or sale wait: for a bounded time while it is checked, and while it has no master that
   * could answer.
   */
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
      replaced.set(slot, (change = { by: owner, until: now + LOOKING_MS_MAX }));
      if (owner) checkIn(0, owner);
      onReplaced();
    }
    // Nothing that is sent would tell the client of the new master.
    if (!owner && now >= learntAt + LEARN_MS) {
      learntAt = now;
      learnMasters(redis);
    }
    return !owner || now < change.until;
  }

  /**
   * Each master by itself: one that is silent must not keep the users of another one waiting, or let their time run
   * out.
   */
  function checkIn(ms: number, master: Redis): void {
    if (underWay.has(master)) return;
    underWay.add(master);
    const timer = setTimeout(() => {
      timers.delete(timer);
      void check(master).finally(() => {
        underWay.delete(master);
        const last = Math.max(...slotsReplacedBy(master).map((slot) => replaced.get(slot)!.until));
        if (last > -Infinity && !closed) checkIn(performance.now() < last ? MASTER_RETRY_MS : CHECK_RETRY_MS, master);
      });
    }, ms);
    timers.add(timer);
  }

  async function check(master: Redis): Promise<void> {
    // Also those that nobody has asked for yet: whoever asks for them next waits no second time.
    const slots = new Set([...slotsOwnedBy(redis, master), ...slotsReplacedBy(master)]);
    if (!(await putBack((key) => slots.has(slotOf(redis, key))))) return;
    for (const slot of slots) {
      if (checked.has(slot)) checked.set(slot, master);
      if (replaced.get(slot)?.by === master) replaced.delete(slot);
    }
  }

  const slotsReplacedBy = (master: Redis) => [...replaced].flatMap(([slot, { by }]) => (by === master ? [slot] : []));

  return {
    waits,
    close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
