import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { GATEWAYS_KEY } from './keys.ts';
import { redisNow } from './rains.ts';

/**
 * A gateway's report about itself once a second. Nothing depends on it: a gateway without heartbeat serves all the
 * same.
 */
const gatewayHeartbeat = z.object({
  /** Unique for this process. */
  id: z.string(),
  /** The URL `ws://…` that the gateway is bound to. */
  address: z.string(),
  version: z.string(),
  /** Epoch ms by Redis's clock, like `at`. */
  startedAt: z.number(),
  at: z.number(),
  sockets: z.int().min(0),
  /** The sockets among them that only watch, such as the screen of a hall. An older gateway does not tell. */
  screens: z.int().min(0).default(0),
  grabsPending: z.int().min(0),
  pressed: z.boolean(),
  /** Grabs answered since it started, by code. */
  answers: z.record(z.string(), z.int().min(0)),
});
export type GatewayHeartbeat = z.infer<typeof gatewayHeartbeat>;

/** A gateway without a heartbeat for this long counts as gone, ms: longer than most Redis failovers take. */
const STALE_MS = 5_000;
/** Without any heartbeat the whole hash expires, ms. */
const FORGET_MS = 60_000;
/** More than any deployment runs. Further gateways are not listed [R10]. */
const GATEWAYS_MAX = 1_000;
/** Heartbeats per read [R10]. */
const PAGE = 500;

export async function sendHeartbeat(redis: RedisClient, heartbeat: GatewayHeartbeat): Promise<void> {
  await redis.hset(GATEWAYS_KEY, heartbeat.id, JSON.stringify(heartbeat));
  await redis.pexpire(GATEWAYS_KEY, FORGET_MS);
}

/** Removes the heartbeat of a closing gateway at once, without the wait for STALE_MS. */
export async function removeHeartbeat(redis: RedisClient, id: string): Promise<void> {
  await redis.hdel(GATEWAYS_KEY, id);
}

/**
 * Gateways with a current heartbeat, the oldest first. Removes the others; one that was only slow is back within a
 * second.
 */
export async function readHeartbeats(redis: RedisClient): Promise<GatewayHeartbeat[]> {
  const now = await redisNow(redis);
  const alive = new Map<string, GatewayHeartbeat>();
  for (let cursor = '0', first = true; first || (cursor !== '0' && alive.size < GATEWAYS_MAX); first = false) {
    const [next, found] = await redis.hscan(GATEWAYS_KEY, cursor, 'COUNT', PAGE);
    cursor = next;
    const stale: string[] = [];
    for (let i = 0; i < found.length; i += 2) {
      const heartbeat = gatewayHeartbeat.safeParse(readJson(found[i + 1]!)).data;
      if (heartbeat?.id === found[i] && Math.abs(now - heartbeat!.at) <= STALE_MS) alive.set(heartbeat!.id, heartbeat!);
      else stale.push(found[i]!);
    }
    if (stale.length > 0) await redis.hdel(GATEWAYS_KEY, ...stale);
  }
  return [...alive.values()].sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)).slice(0, GATEWAYS_MAX);
}
