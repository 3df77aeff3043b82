import { Cluster, type Redis } from 'ioredis';

/** Never there, and of those that a user of Redis must be allowed. */
const ABSENT_KEY = 'rain:absent';

/**
 * Resolves when Redis answers and takes writes, which a PING does not show: a server that became a replica, whose
 * memory is full or whose disk fails refuses this as it would refuse a grab. Nothing is written. A Cluster is only
 * asked for an answer: if one of its masters takes no writes, the users of the others are served.
 * @throws the refusal of Redis, or what broke the connection
 */
export async function askRedis(redis: Redis | Cluster): Promise<void> {
  try {
    if (redis instanceof Cluster) await redis.ping();
    else await redis.set(ABSENT_KEY, '', 'XX');
  } catch (error) {
    // The client's own words for a connection that is away speak of its settings.
    if (!String(error).includes("Stream isn't writeable")) throw error;
    throw new Error('Redis cannot be reached: the connection is away', { cause: error });
  }
}
