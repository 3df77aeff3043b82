import { z } from 'zod';
import { RETRY_MS_MAX } from '../client/backoff.ts';
import { AWAY_MS_MAX } from '../client/reconnect.ts';
import { challenge } from '../protocol/proofOfWork.ts';
import { readJson } from '../rain/json.ts';
import { STORED_STATES } from '../rain/rain.ts';

/**
 * What a bot reads of the server's messages. Fields it has no use for are dropped, so that a newer server may say more;
 * amounts stay as they were told, because judging them is the report's business.
 */
const serverMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), serverTime: z.number() }),
  z.object({
    type: z.literal('rain'),
    rainId: z.string(),
    state: z.enum([...STORED_STATES, 'open']),
    opensAt: z.number(),
    closesAt: z.number(),
  }),
  z.object({
    type: z.literal('result'),
    rainId: z.string(),
    ref: z.string().optional(),
    // Also one of a newer server.
    code: z.string(),
    retryInMs: z.number().min(0).max(RETRY_MS_MAX).optional(),
    redPacketId: z.string().optional(),
    amount: z.string().optional(),
  }),
  z.object({ type: z.literal('ticket'), rainId: z.string(), ticket: z.string(), expiresAt: z.number() }),
  z.object({ type: z.literal('challenge'), rainId: z.string(), challenge }),
  z.object({ type: z.literal('credited'), rainId: z.string(), redPacketId: z.string(), amount: z.string() }),
  z.object({ type: z.literal('winners') }),
  z.object({ type: z.literal('pong'), t: z.number(), serverTime: z.number() }),
  z.object({ type: z.literal('goodbye'), reconnectInMs: z.number().min(0).max(AWAY_MS_MAX) }),
  z.object({ type: z.literal('error'), code: z.string(), reason: z.string() }),
]);
export type HeardMessage = z.infer<typeof serverMessage>;
export type HeardRain = Extract<HeardMessage, { type: 'rain' }>;
export type HeardResult = Extract<HeardMessage, { type: 'result' }>;

/** The last broadcast: it arrives once per bot, in the same words, and is understood once. */
let broadcast: { frame: string; message: HeardMessage } | undefined;

/** One frame → what it says, or `undefined` when it cannot be understood. Never throws. The message may be shared: do not change it. */
export function parseServerMessage(frame: string): HeardMessage | undefined {
  if (broadcast?.frame === frame) return broadcast.message;
  const message = parse(frame);
  if (message?.type === 'rain' || message?.type === 'winners') broadcast = { frame, message };
  return message;
}

function parse(frame: string): HeardMessage | undefined {
  return serverMessage.safeParse(readJson(frame)).data;
}
