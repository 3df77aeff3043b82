import { z } from 'zod';
import { rainId } from '../rain/claim.ts';
import type { ShownPlan } from '../rain/plan.ts';
import type { TopUpPromise } from '../rain/top-up.ts';
import type { RainState } from '../rain/rain.ts';
import type { Terms } from '../rain/terms.ts';
import type { ErrorCode, OutcomeCode } from './outcomes.ts';
import { challenge, solution, type Challenge } from './proofOfWork.ts';

/** The client's word, echoed in the answer so that answers can be matched to questions. */
const ref = z.string().max(64).describe('Any text of yours; echoed in the answer');

/** What the server has handed out, shown as it was. */
const ticket = z.string().max(128).describe('Your ticket to this rain, where one is asked for');
const rain = rainId.describe('Which rain');

const joinMessage = z.strictObject({ type: z.literal('join'), rainId: rain, ticket: ticket.optional() })
  .describe('Watch a rain: its snapshot now and whenever it changes, your own result if you have one, and a ticket or a challenge where one is asked for.');
const grabMessage = z.strictObject({ type: z.literal('grab'), rainId: rain, ref: ref.optional(), ticket: ticket.optional() })
  .describe('Ask for a red packet. Answered by exactly one `result`; safe to repeat, the first answer stands.');
const solutionMessage = z.strictObject({ type: z.literal('solution'), rainId: rain, challenge: challenge.describe('As it came, unchanged; fields as in `challenge`'), solution: solution.describe('What solves it') })
  .describe('What solves a `challenge`; answered by a `ticket`.');
const pingMessage = z.strictObject({ type: z.literal('ping'), t: z.number().describe('Any number of yours; echoed') }).describe('Ask what time it is at the server.');
export const CLIENT_MESSAGES = { join: joinMessage, grab: grabMessage, solution: solutionMessage, ping: pingMessage } as const;

/** Everything a client may say. The token says who he is; no message can [R9]. */
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
  /** Only of a rehearsal: what is won there is not real money, and players are to be told so. */
  rehearsal?: true;
  /** What its operator has decided about it, as far as it is not as usual; a newer server may tell of more than is known here. */
  terms?: Terms;
  /** SHA-256 of what decides who gets which amount, told before anybody can grab; absent for a rain that has none. */
  commitment?: string;
  /** These three once the rain is settled: with the commitment, all that is needed to recompute every packet. */
  seed?: string;
  plan?: ShownPlan;
  shards?: number;
  /**
   * What was added to the rain since it was created, in order; absent when nothing was. `packets` and `left` have grown with it:
   * after a -1 a `rain` message with more packets, or with packets left again, says that it goes on, and asking again is worth while.
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
  /** With codes -5 and -7: when to ask again, from now; another number for everybody. */
  retryInMs?: number;
  /** With codes 0 and 1. */
  redPacketId?: string;
  amount?: string;
}

/** The entry to a rain, for this user alone: to be shown with every grab, and with a join when there is one already. */
export interface TicketMessage {
  type: 'ticket';
  rainId: string;
  ticket: string;
  expiresAt: number;
}

/** To be solved before there is a ticket; the solution goes back together with the challenge. */
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
  /** When to come back, from now; another number for everybody, so that not all come at once. */
  reconnectInMs: number;
}

/** Everything a server may say. */
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
