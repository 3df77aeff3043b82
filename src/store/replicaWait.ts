import type { RedisClient } from '../platform/redis/connect.ts';
import { learnMasters, masterOf, slotOf, type Server } from '../platform/redis/owner.ts';
import { markKey } from './keys.ts';
import { SCRIPTS } from './scripts.ts';

/** Keys that are tried until one is in a slot of the master: with a thousand masters one fails once in e¹⁰ times. */
const TRIES_MAX = 10_000;

/**
 * How many replicas of this master have everything that it had written when the commands before this one were answered, by whatever
 * connection it was written. Commands that are sent in the same turn of the event loop come before.
 * @param redis the client that the connection to the master belongs to; WAIT blocks that connection
 * @throws when the mark could not be written; then nothing is known
 */
type ReplicaWait = (redis: RedisClient, master: Server) => Promise<number>;

/** @param waitMs how long the replicas may take */
export function createReplicaWait(replicas: number, waitMs: number): ReplicaWait {
  /** Another key after a fault: the slot of the last one may be moving to another master. */
  let first = 0;
  return async (redis, { name, connection }) => {
    try {
      const key = keyAt(redis, name, first);
      // By its source, and not by its SHA: a server that does not know the script would go on to WAIT.
      return (await Promise.all([connection.eval(SCRIPTS.get('mark')!.source, 1, key), connection.wait(replicas, waitMs)]))[1];
    } catch (error) {
      first++;
      // No command of these meets the client's own redirections.
      learnMasters(redis);
      throw error;
    }
  };
}

function keyAt(redis: RedisClient, name: string, first: number): string {
  for (let n = first; n < first + TRIES_MAX; n++) {
    if (masterOf(redis, slotOf(redis, markKey(n)))?.name === name) return markKey(n);
  }
  throw new Error(`${name} is no master of any slot`);
}
