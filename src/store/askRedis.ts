import { Cluster } from 'ioredis';
import type { RedisClient } from '../platform/redis/connect.ts';
import { ABSENT_KEY } from './keys.ts';

/**
 * Resolves when Redis answers and takes writes, which a PING does not show: a server that became a replica, whose
 * memory is full or whose disk fails refuses this as it would refuse a grab. Nothing is written. A Cluster is only
 * asked for an answer: if one of its masters takes no writes, the users of the others are served.
 * @throws the refusal of Redis, or what broke the connection
 */
export async function askRedis(redis: RedisClient): Promise<void> {
  if (redis instanceof Cluster) await redis.ping();
  else await redis.set(ABSENT_KEY, '', 'XX');
}
