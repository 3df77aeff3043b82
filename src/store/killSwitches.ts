import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { publish } from './events.ts';
import { SWITCHES_KEY } from './keys.ts';

/**
 * The parts that a gateway can switch off, in the order in which it does so under load: the winners' ticker, joins, new
 * sockets, grabs.
 */
export const SWITCHES = ['ticker', 'joins', 'sockets', 'grabs'] as const;
export const switchName = z.enum(SWITCHES);
export type SwitchName = z.infer<typeof switchName>;

/** A switch that the operator holds: `off` switches the function off, `on` keeps it on under any load. */
const heldSwitch = z.object({
  name: switchName,
  position: z.enum(['on', 'off']),
  reason: z.string(),
  actor: z.string(),
  /** Epoch ms by Redis's clock. Without `until` the operator holds the switch until it is released. */
  since: z.number(),
  until: z.number().optional(),
});
export type HeldSwitch = z.infer<typeof heldSwitch>;

/** May include expired ones. They need no clean-up: there can never be more entries than switches. */
export async function readSwitches(redis: RedisClient): Promise<HeldSwitch[]> {
  const entries = await redis.hmget(SWITCHES_KEY, ...SWITCHES);
  return SWITCHES.flatMap((name, i) => {
    const held = heldSwitch.safeParse(readJson(entries[i] ?? '')).data;
    return held?.name === name ? held : [];
  });
}

/** Sets a switch; replaces an earlier setting. */
export async function holdSwitch(redis: RedisClient, held: HeldSwitch): Promise<void> {
  await redis.hset(SWITCHES_KEY, held.name, JSON.stringify(held));
  await publish(redis, { type: 'switches' });
}

/** Releases a switch: from now on each gateway decides by its own load. */
export async function releaseSwitch(redis: RedisClient, name: SwitchName): Promise<void> {
  await redis.hdel(SWITCHES_KEY, name);
  await publish(redis, { type: 'switches' });
}
