import { z } from 'zod';
import { rainId } from '../rain/claim.ts';
import type { ShownPlan } from '../rain/plan.ts';
import type { TopUpPromise } from '../rain/top-up.ts';
import type { RainState } from '../rain/rain.ts';
import type { Terms } from '../rain/terms.ts';
import type { ErrorCode, OutcomeCode } from './outcomes.ts';
import { challenge, solution, type Challenge } from './proofOfWork.ts';

/** Chosen by the client and echoed in the answer, so that the client can match answers to its messages. */
const ref = z.string().max(64).describe('Any text you choose; the answer repeats it');

/** A ticket that the server issued, sent back unchanged. */
const ticket = z.string().max(128).describe('Your ticket for this rain, if this gateway requires tickets');
const rain = rainId.describe('The id of the rain');

const joinMessage = z.strictObject({ type: z.literal('join'), rainId: rain, ticket: ticket.optional() })
  .describe('Watch a rain. You receive its snapshot now and after every change, your own result if you have one, and a ticket or a challenge if this gateway requires tickets.');
const grabMessage = z.strictObject({ type: z.literal('grab'), rainId: rain, ref: ref.optional(), ticket: ticket.optional() })
  .describe('Ask for a red packet. The gateway answers with exactly one `result`. A repeated grab is safe and gets the first answer again.');
const solutionMessage = z.strictObject({ type: z.literal('solution'), rainId: rain, challenge: challenge.describe('The challenge as received, unchanged; fields as in `challenge`'), solution: solution.describe('The solution of that challenge') })
  .describe('The solution of a `challenge`. The gateway answers with a `ticket`.');
const pingMessage = z.strictObject({ type: z.literal('ping'), t: z.number().describe('Any number you choose; the answer repeats it') }).describe("Ask for the server's time.");
export const CLIENT_MESSAGES = { join: joinMessage, grab: grabMessage, solution: solutionMessage, ping: pingMessage } as const;

/** Every message that a client may send. The token identifies the user; a message never does [R9]. */
export const clientMessage = z.discriminatedUnion('type', [joinMessage, grabMessage, solutionMessage, pingMessage]);
export type ClientMessage = z.infer<typeof clientMessage>;
export type JoinMessage = z.infer<typeof joinMessage>;
export type GrabMessage = z.infer<typeof grabMessage>;
export type SolutionMessage = z.infer<typeof solutionMessage>;
export type PingMessage = z.infer<typeof pingMessage>;

/** All times are epoch milliseconds of Redis's clock as the gateway estimates it. */
export interface RainSnapshot {
  type: 'rain';
  rainId: string;
  title: string;
  state: RainState;
  opensAt: number;
  closesAt: number;
  /** Planned packets. */
  packets: number;
  /** Packets left, rounded up to about a hundredth of `packets`; 0 only when none is left. */
  left: number;
  /** Only in a rehearsal: the prizes are not real money, and clients must say so to the players. */
  rehearsal?: true;
  /** The terms of this rain, where they differ from the default. A newer server may send terms that this version does not know. */
  terms?: Terms;
  /** SHA-256 of what decides which packet has which amount, published before the first grab. Absent for a rain without commitment. */
  commitment?: string;
  /** These three appear once the rain is settled. With the commitment they allow anybody to recompute every packet. */
  seed?: string;
  plan?: ShownPlan;
  shards?: number;
  /**
   * Packets that were added after the creation of the rain, in order; absent if there are none. `packets` and `left` include them.
   * After a -1, a `rain` message with more packets, or with packets left again, means that the rain goes on and that a new grab
   * can win.
   */
  topUps?: readonly TopUpPromise[];
  serverTime: number;
}

export interface WelcomeMessage {
  type: 'welcome';
  userId: string;
  serverTime: number;
  /** Rains that are scheduled, open or paused. */
  rains: Omit<RainSnapshot, 'type' | 'serverTime'>[];
  limits: { messageBytesMax: number; heartbeatMs: number };
}

export interface ResultMessage {
  type: 'result';
  rainId: string;
  ref?: string;
  code: OutcomeCode;
  reason: string;
  /** With codes -5 and -7: when to send the grab again, in ms from now. Randomised per answer. */
  retryInMs?: number;
  /** With codes 0 and 1. */
  redPacketId?: string;
  amount?: string;
}

/** The user's entry to a rain. The client sends it with every grab, and with a join if it has one already. */
export interface TicketMessage {
  type: 'ticket';
  rainId: string;
  ticket: string;
  expiresAt: number;
}

/** The client must solve it to get a ticket. It sends the solution back together with the challenge. */
export interface ChallengeMessage {
  type: 'challenge';
  rainId: string;
  challenge: Challenge;
}

export interface CreditedMessage {
  type: 'credited';
  rainId: string;
  redPacketId: string;
  amount: string;
}

export interface WinnersMessage {
  type: 'winners';
  rainId: string;
  /** A sample of recent wins; user ids are masked. */
  winners: { user: string; amount: string }[];
}

interface PongMessage {
  type: 'pong';
  t: number;
  serverTime: number;
}

export interface ErrorMessage {
  type: 'error';
  code: ErrorCode;
  reason: string;
}

export interface GoodbyeMessage {
  type: 'goodbye';
  reason: 'service_restart';
  /** When to reconnect, in ms from now. Randomised per client, so that not all reconnect at once. */
  reconnectInMs: number;
}

/** Every message that a server may send. */
export type ServerMessage =
  | WelcomeMessage
  | RainSnapshot
  | ResultMessage
  | TicketMessage
  | ChallengeMessage
  | CreditedMessage
  | WinnersMessage
  | PongMessage
  | GoodbyeMessage
  | ErrorMessage;
