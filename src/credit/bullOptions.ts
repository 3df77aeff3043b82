import { RedisConnection } from 'bullmq';
import type { RedisClient } from '../platform/redis/connect.ts';

/** BullMQ takes a Redis that it has not asked for one of this version: the oldest that `rain doctor` accepts. */
RedisConnection.minimumVersion = '6.2.0';

interface BullConnection {
  connection: RedisClient;
  prefix: string;
}

/**
 * For every queue and every worker of BullMQ. By itself it asks Redis for its version (INFO) once, and if that fails
 * (Redis is slow, busy with a script, or refuses INFO), it keeps the error in place of its connection: the queue or
 * worker fails until the process ends. The version is checked by `rain doctor`, the eviction policy also at the start
 * of every server.
 */
export const bullOptions = ({ connection, prefix }: BullConnection) => ({ connection, prefix, skipVersionCheck: true });
