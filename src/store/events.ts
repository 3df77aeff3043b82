import { z } from 'zod';
import { amount, rainId, userId } from '../rain/claim.ts';
import { readJson } from '../rain/json.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { EVENTS_CHANNEL } from './keys.ts';

/** What travels on EVENTS_CHANNEL between processes. A lost event costs time, never truth: gateways also re-read Redis. */
const rainEvent = z.discriminatedUnion('type', [
  /** The rain was created, loaded, paused, resumed, closed or settled: read it again. */
  z.object({ type: z.literal('changed'), rainId }),
  /** The block list has changed: read it again. */
  z.object({ type: z.literal('blocks') }),
  /** The operator has thrown a switch of the gateways, or let go of it: read them again. */
  z.object({ type: z.literal('switches') }),
  /** These claims are in the book now. */
  z.object({
    type: z.literal('credited'),
    rainId,
    claims: z.array(z.object({ userId, redPacketId: z.string(), amount })),
  }),
]);
export type RainEvent = z.infer<typeof rainEvent>;

/** A frame of the channel → an event; `undefined` for anything else, since anybody with Redis access can publish. */
export function parseEvent(frame: string): RainEvent | undefined {
  return rainEvent.safeParse(readJson(frame)).data;
}

/** Tells all gateways. */
export async function publish(redis: RedisClient, event: RainEvent): Promise<void> {
  await redis.publish(EVENTS_CHANNEL, JSON.stringify(event));
}
