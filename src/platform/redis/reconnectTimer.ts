import { Cluster } from 'ioredis';
import type { RedisClient } from './connect.ts';

/**
 * How long after an outage the gateways may still restore wins that Redis lost, ms; default of
 * SETTLE_AFTER_RECONNECT_MS.
 */
export const SETTLE_AFTER_RECONNECT_MS = 10_000;

/** How long Redis has been reachable again, ms; `Infinity` if it never was unreachable, 0 while it is. */
export type SinceReconnect = () => number;

/** Watches one connection from now on. After a reconnect, the server may have lost the last moments before. */
export function watchReconnects(redis: RedisClient, now: () => number = () => performance.now()): SinceReconnect {
  let returnedAt: number | undefined;
  let isDown = false;
  let ready = redis.status === 'ready';
  redis.on('close', () => {
    isDown = true;
  });
  redis.on('ready', () => {
    ready = true;
    if (isDown) returnedAt = now();
    isDown = false;
  });
  // A Cluster stays ready while one of its nodes is replaced.
  if (redis instanceof Cluster)
    for (const change of ['-node', '+node'] as const)
      redis.on(change, () => {
        if (ready) returnedAt = now();
      });
  return () => (isDown ? 0 : returnedAt === undefined ? Infinity : now() - returnedAt);
}
