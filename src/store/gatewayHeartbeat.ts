import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { GATEWAYS_KEY } from './keys.ts';
import { redisNow } from './rains.ts';

/** What a gateway says of itself once a second. Nothing depends on it: one that says nothing serves all the same. */
const gatewayHeartbeat = z.object({
  /** Of this process, and of no other. */
  id: z.string(),
  /** `ws://…` as bound. */
  address: z.string(),
  version: z.string(),
  /** Epoch ms by Redis's clock, as all of them. */
  startedAt: z.number(),
  at: z.number(),
  sockets: z.int().min(0),
  grabsPending: z.int().min(0),
  pressed: z.boolean(),
  /** Grabs answered since it started, by code. */
  answers: z.record(z.string(), z.int().min(0)),
});
export type GatewayHeartbeat = z.infer<typeof gatewayHeartbeat>;

/** Who has said nothing for so long is taken for gone, ms: longer than a Redis failover mostly takes. */
const STALE_MS = 5_000;
/** When nobody says anything any more, nothing stays. */
const FORGET_MS = 60_000;
/** More than anybody runs; what is beyond them is not read [R10]. */
const GATEWAYS_MAX = 1_000;

export async function sendHeartbeat(redis: RedisClient, told: GatewayHeartbeat): Promise<void> {
  await redis.hset(GATEWAYS_KEY, told.id, JSON.stringify(told));
  await redis.pexpire(GATEWAYS_KEY, FORGET_MS);
}

/** Of one that closes: at once, rather than after it has been missed. */
export async function removeHeartbeat(redis: RedisClient, id: string): Promise<void> {
  await redis.hdel(GATEWAYS_KEY, id);
}

/** Those that are heard of, the oldest first. Clears the others away; one that was only slow is back within a second. */
export async function readHeartbeats(redis: RedisClient): Promise<GatewayHeartbeat[]> {
  const [now, entries] = [await redisNow(redis), Object.entries(await redis.hgetall(GATEWAYS_KEY))];
  const heard: GatewayHeartbeat[] = [];
  const stale: string[] = [];
  for (const [id, text] of entries) {
    const told = gatewayHeartbeat.safeParse(readJson(text)).data;
    if (told?.id === id && Math.abs(now - told.at) <= STALE_MS) heard.push(told);
    else stale.push(id);
  }
  if (stale.length > 0) await redis.hdel(GATEWAYS_KEY, ...stale);
  return heard.sort((a, b) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)).slice(0, GATEWAYS_MAX);
}
