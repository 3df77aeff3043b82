import { Cluster } from 'ioredis';
import type { RedisClient } from './connect.ts';

/** So long after an outage the gateways may still put back what Redis lost, ms; SETTLE_AFTER_RECONNECT_MS unless set otherwise. */
export const SETTLE_AFTER_RECONNECT_MS = 10_000;

/** How long Redis has been back after it was away, ms; `Infinity` when it never was, 0 while it is. */
export type SinceReconnect = () => number;

/** Watches one connection from now on. What stands behind it after a loss may have forgotten the last moments before. */
export function watchReconnects(redis: RedisClient, now: () => number = () => performance.now()): SinceReconnect {
  let returnedAt: number | undefined;
  let away = false;
  let ready = redis.status === 'ready';
  redis.on('ready', () => { ready = true; });
  redis.on('close', () => { away = true; });
  redis.on('ready', () => {
    if (away) returnedAt = now();
    away = false;
  });
  // A Cluster stays ready while one of its nodes is replaced.
  if (redis instanceof Cluster) for (const change of ['-node', '+node'] as const) redis.on(change, () => { if (ready) returnedAt = now(); });
  return () => (away ? 0 : returnedAt === undefined ? Infinity : now() - returnedAt);
}
