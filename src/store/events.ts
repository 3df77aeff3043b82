import { z } from 'zod';
import { amount } from '../rain/claim.ts';
import { rainId, userId } from '../rain/ids.ts';
import { readJson } from '../rain/json.ts';
import { reservationIdText, saleId } from '../sale/ids.ts';
import { ORDER_STATUSES } from '../sale/order.ts';
import type { RedisClient } from '../platform/redis/connect.ts';
import { EVENTS_CHANNEL, gatewayChannel } from './keys.ts';

/** Claims per event at most, so that subscribers' buffers stay bounded [R10]. */
export const CLAIMS_MAX = 500;
/** Longer messages are not ours, UTF-16 units: a full event has less than half of it [R10]. */
const FRAME_MAX = 1_048_576;

/** `mark`: `creditMark` of a Signer. Only with it is a claim believed: anybody with Redis access can publish. */
const credited = z.object({ userId, redPacketId: z.string(), amount, mark: z.string() });
export type Credited = z.infer<typeof credited>;

/** `mark`: `orderMark` of a Signer, for the same reason. */
const toldOrder = z.object({
  userId,
  reservationId: reservationIdText,
  status: z.enum(ORDER_STATUSES),
  mark: z.string(),
});
export type ToldOrder = z.infer<typeof toldOrder>;

/**
 * The events on EVENTS_CHANNEL, and on the channels of single gateways, between processes. A lost event only delays an
 * update: gateways also poll Redis.
 */
const rainEvent = z.discriminatedUnion('type', [
  /** The rain was created, loaded, paused, resumed, closed or settled: read it again. */
  z.object({ type: z.literal('changed'), rainId }),
  /** The block list has changed: read it again. */
  z.object({ type: z.literal('blocks') }),
  /** The operator has set or released a switch of the gateways: read them again. */
  z.object({ type: z.literal('switches') }),
  /** The sale was created, loaded, paused, resumed, topped up, closed or settled, or units came back: read it again. */
  z.object({ type: z.literal('sale_changed'), saleId }),
  /** These orders have this status in the ledger now. */
  z.object({ type: z.literal('orders'), saleId, orders: z.array(toldOrder).max(CLAIMS_MAX) }),
  /**
   * These claims are in the ledger now. To one gateway those that it was told of; to all of them those of which that is
   * not known.
   */
  z.object({ type: z.literal('credited'), rainId, claims: z.array(credited).max(CLAIMS_MAX) }),
  /** Some of the latest claims that are in the ledger now, for the ticker. */
  z.object({ type: z.literal('sampled'), rainId, claims: z.array(credited).max(CLAIMS_MAX) }),
]);
export type RainEvent = z.infer<typeof rainEvent>;

/** Parses a message of the channel. `undefined` if it is not an event: anybody with Redis access can publish. */
export function parseEvent(frame: string): RainEvent | undefined {
  return frame.length > FRAME_MAX ? undefined : rainEvent.safeParse(readJson(frame)).data;
}

/** @param gateway whom it is for; absent: all */
export async function publish(redis: RedisClient, event: RainEvent, gateway?: string): Promise<void> {
  await redis.publish(gateway === undefined ? EVENTS_CHANNEL : gatewayChannel(gateway), JSON.stringify(event));
}
