import { Cluster } from 'ioredis';
import type { RedisClient } from '../platform/redis/connect.ts';
import { learnMasters, masterOf, slotOf, slotsOwnedBy, type Server } from '../platform/redis/owner.ts';
import { markKey } from './keys.ts';
import { Marks } from './marks.ts';
import { SCRIPTS } from './scripts.ts';

/**
 * How many replicas of this master have everything that it had written when the commands before this one were answered,
 * by whatever connection it was written. Commands that are sent in the same turn of the event loop come before.
 * @param redis the client that the connection to the master belongs to; WAIT blocks that connection
 * @throws when the mark could not be written; then nothing is known
 */
type ReplicaWait = (redis: RedisClient, master: Server) => Promise<number>;

/** @param waitMs how long the replicas may take */
export function createReplicaWait(replicas: number, waitMs: number): ReplicaWait {
  let marks: Marks | undefined;
  /**
   * By the master's name, the last key that it took, and the slot of one that it did not: that may be moving to another
   * master.
   */
  const taken = new Map<string, { key: string; slot: number }>();
  const refused = new Map<string, number>();

  function keyAt(redis: RedisClient, { name, connection }: Server): { key: string; slot: number } {
    if (!(redis instanceof Cluster)) return { key: markKey(0), slot: 0 };
    const last = taken.get(name);
    if (last && masterOf(redis, last.slot)?.name === name) return last;
    marks ??= new Marks((key) => slotOf(redis, key));
    const owned = new Set(slotsOwnedBy(redis, connection));
    if (owned.size === 0) throw new Error(`${name} is no master of any slot`);
    const found = marks.in(owned, refused.get(name));
    taken.set(name, found);
    return found;
  }

  return async (redis, master) => {
    const { name, connection } = master;
    try {
      const { key } = keyAt(redis, master);
      // By its source, and not by its SHA: a server that does not know the script would go on to WAIT.
      return (
        await Promise.all([connection.eval(SCRIPTS.get('mark')!.source, 1, key), connection.wait(replicas, waitMs)])
      )[1];
    } catch (error) {
      const last = taken.get(name);
      if (last) refused.set(name, last.slot);
      taken.delete(name);
      // No command of these meets the client's own redirections.
      learnMasters(redis);
      throw error;
    }
  };
}
