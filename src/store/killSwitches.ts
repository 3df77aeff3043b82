import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { publish } from './events.ts';
import { SWITCHES_KEY } from './keys.ts';

/** What a gateway can give up, in the order in which it does: the winners' ticker, joins, new sockets, grabs. */
export const SWITCHES = ['ticker', 'joins', 'sockets', 'grabs'] as const;
export const switchName = z.enum(SWITCHES);
export type SwitchName = z.infer<typeof switchName>;

/** A switch that the operator holds: `off` gives it up, `on` serves it whatever the pressure. */
const heldSwitch = z.object({
  name: switchName,
  position: z.enum(['on', 'off']),
  reason: z.string(),
  actor: z.string(),
  /** Epoch ms by Redis's clock; without an end it is held until it is let go. */
  since: z.number(),
  until: z.number().optional(),
});
export type HeldSwitch = z.infer<typeof heldSwitch>;

/** Those whose time is over may be among them: nobody need clear away what can never be more than there are switches. */
export async function readSwitches(redis: RedisClient): Promise<HeldSwitch[]> {
  const entries = await redis.hgetall(SWITCHES_KEY);
  return SWITCHES.flatMap((name) => {
    const held = heldSwitch.safeParse(readJson(entries[name] ?? '')).data;
    return held?.name === name ? held : [];
  });
}

/** In the place of whoever held it before. */
export async function holdSwitch(redis: RedisClient, held: HeldSwitch): Promise<void> {
  await redis.hset(SWITCHES_KEY, held.name, JSON.stringify(held));
  await publish(redis, { type: 'switches' });
}

/** The gateways decide again by themselves. */
export async function letGoOf(redis: RedisClient, name: SwitchName): Promise<void> {
  await redis.hdel(SWITCHES_KEY, name);
  await publish(redis, { type: 'switches' });
}
