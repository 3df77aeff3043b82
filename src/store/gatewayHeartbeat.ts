import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { GATEWAYS_KEY } from './keys.ts';
import { redisNow } from './rains.ts';

/** What a gateway reports about itself once a second. Nothing depends on it: a gateway without heartbeat serves all the same. */
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

export async function sendHeartbeat(redis: RedisClient, heartbeat: GatewayHeartbeat): Promise<void> {
  await redis.hset(GATEWAYS_KEY, heartbeat.id, JSON.stringify(heartbeat));
  await redis.pexpire(GATEWAYS_KEY, FORGET_MS);
}

/** Removes the heartbeat of a closing gateway at once, without the wait for STALE_MS. */
export async function removeHeartbeat(redis: RedisClient, id: string): Promise<void> {
  await redis.hdel(GATEWAYS_KEY, id);
}

/** Gateways with a current heartbeat, the oldest first. Removes the others; one that was only slow is back within a second. */
export async function readHeartbeats(redis: RedisClient): Promise<GatewayHeartbeat[]> {
  const now = await redisNow(redis);
  const alive: GatewayHeartbeat[] = [];
  const stale: string[] = [];
  for (const [id, text] of Object.entries(await redis.hgetall(GATEWAYS_KEY))) {
    const heartbeat = gatewayHeartbeat.safeParse(readJson(text)).data;
    if (heartbeat?.id === id && Math.abs(now - heartbeat.at) <= STALE_MS) alive.push(heartbeat);
    else stale.push(id);
  }
  if (stale.length > 0) await redis.hdel(GATEWAYS_KEY, ...stale);
  return alive.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)).slice(0, GATEWAYS_MAX);
}
