import { readLog } from '../store/rains.ts';
import { createReplicaWait } from '../store/replicaWait.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { learnMasters, masterOf, mastersOf, slotOf } from '../platform/redis/owner.ts';
import type { ReadLog } from './carry.ts';

/** Returns whether this many replicas of each master have all earlier writes. */
export function awaitReplicas(redis: RedisClient, replicas: number, waitMs: number): () => Promise<boolean> {
  const acknowledgedBy = createReplicaWait(replicas, waitMs);
  return async () => {
    const acknowledged = await Promise.all(mastersOf(redis).map((master) => acknowledgedBy(redis, master)));
    return acknowledged.length > 0 && acknowledged.every((count) => count >= replicas);
  };
}

/**
 * Reads only entries that this many replicas have too. Where wins are told only after replication, they must not be
 * credited earlier: a claim that a failover undoes would stay in the ledger, and the next user of its packet would find
 * the money gone.
 * @param redis a connection of its own, since WAIT blocks it; all commands are sent in one turn of the event loop to
 *   the master of the key, so that the same server answers all or none. One that is not its master any more refuses the
 *   read
 */
export function readReplicated(redis: RedisClient, replicas: number, waitMs: number): ReadLog {
  const acknowledgedBy = createReplicaWait(replicas, waitMs);
  return async (key, from, to) => {
    const master = masterOf(redis, slotOf(redis, key));
    try {
      if (!master) throw new Error(`no master of the slot of ${key} can be reached`);
      const [entries, acknowledged] = await Promise.all([
        readLog(master.connection, key, from, to),
        acknowledgedBy(redis, master),
      ]);
      return acknowledged >= replicas ? entries : [];
    } catch (error) {
      learnMasters(redis);
      throw error;
    }
  };
}
