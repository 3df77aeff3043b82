import { z } from 'zod';
import { RETRY_MS_MAX } from '../../client/backoff.ts';
import { AWAY_MS_MAX } from '../../client/reconnect.ts';
import { challenge } from '../../protocol/proofOfWork.ts';
import { readJson } from '../../rain/json.ts';
import { STORED_STATES } from '../../rain/rain.ts';

/**
 * The parts of the server's messages that a bot reads; others are dropped. Amounts stay as received, because the report
 * checks them.
 */
const serverMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), serverTime: z.number() }),
  z.object({
    type: z.literal('rain'),
    rainId: z.string(),
    state: z.enum([...STORED_STATES, 'open']),
    opensAt: z.number(),
    closesAt: z.number(),
    ticketRules: z.object({ from: z.number() }).optional(),
  }),
  z.object({
    type: z.literal('result'),
    rainId: z.string(),
    ref: z.string().optional(),
    // May be a code of a newer server.
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
export type ReceivedMessage = z.infer<typeof serverMessage>;
export type ReceivedRain = Extract<ReceivedMessage, { type: 'rain' }>;
export type ReceivedTicket = Extract<ReceivedMessage, { type: 'ticket' | 'challenge' }>;
export type ReceivedResult = Extract<ReceivedMessage, { type: 'result' }>;

/** The last broadcast: every bot receives the same frame, so it is parsed only once. */
let broadcast: { frame: string; message: ReceivedMessage } | undefined;

/** Parses one frame; `undefined` if it is invalid. Never throws. The message may be shared: do not change it. */
export function parseServerMessage(frame: string): ReceivedMessage | undefined {
  if (broadcast?.frame === frame) return broadcast.message;
  const message = serverMessage.safeParse(readJson(frame)).data;
  if (message?.type === 'rain' || message?.type === 'winners') broadcast = { frame, message };
  return message;
}
