import { z } from 'zod';
import { amount, rainId, userId } from '../rain/claim.ts';
import { shownPlan, type ShownPlan } from '../rain/plan.ts';
import { STORED_STATES } from '../rain/rain.ts';
import { toldTerms } from '../rain/terms-check.ts';
import type { ServerMessage } from './messages.ts';
import { TICKER_WINNERS_MAX } from './constants.ts';
import { ERRORS, OUTCOMES_IN_ORDER, type ErrorCode, type OutcomeCode } from './outcomes.ts';
import { challenge } from './proofOfWork.ts';

/**
 * Everything a server says, as schemas with a word about each field: what docs/reference/messages.md and docs/reference/asyncapi.json are made of, and what a
 * recorded session is held to. A gateway does not load it: what it says is typed, and put together by hand where it is said often.
 * Fields may be added, so that nobody is to refuse those he does not know.
 */
const moment = (what: string) => z.int().min(0).describe(`${what}, epoch ms by the server's clock`);
const rain = rainId.describe('Which rain');
const money = amount.meta({ pattern: '^(0|[1-9]\\d{0,13})\\.\\d\\d$', description: 'Decimal string with two digits, above 0; never a number' });
const packetId = z.string().min(1).max(128).describe('Names the red packet, for good');

const plan = z.custom<ShownPlan>((value) => shownPlan.safeParse(value).success).meta({ type: 'object' });

const topUp = z.object({
  commitment: z.string().describe('As that of the rain, of what was added'),
  packets: z.int().min(0).describe('So many red packets; they are handed out after all that were there before'),
  seed: z.string().exactOptional().describe('Once the rain is settled: what they were drawn with, hex'),
  plan: plan.exactOptional().describe('Once the rain is settled: as that of the rain'),
});

const snapshot = {
  rainId: rain,
  title: z.string().describe('For people'),
  state: z.enum([...STORED_STATES, 'open']).describe('See the life of a rain'),
  opensAt: moment('The start'),
  closesAt: moment('The end'),
  packets: z.int().min(0).describe('Planned red packets'),
  left: z.int().min(0).describe('Red packets left, rounded up to about a hundredth of `packets`; 0 only when none is left'),
  rehearsal: z.literal(true).exactOptional().describe('Only of a rehearsal: what is won in it is no real money, and players are to be told so'),
  terms: toldTerms.exactOptional().describe('What its operator has decided about it, where that is not as usual. Pass on, or leave alone, what you do not know'),
  commitment: z.string().exactOptional().describe('SHA-256 of what decides who gets which amount, hex; absent for a rain that has none'),
  seed: z.string().exactOptional().describe('Once the rain is settled: what the packets were drawn with, hex'),
  plan: plan.exactOptional().describe('Once the rain is settled: budget, packets, split, min and max as they were asked for'),
  shards: z.int().min(1).exactOptional().describe('Once the rain is settled: into how many equal parts its packets were dealt'),
  topUps: z.array(topUp).readonly().exactOptional().describe('What was added to the rain since it was created, in order. After a `-1`, more `packets`, or packets `left` again, say that it goes on and that asking again is worth while'),
};

const OUTCOME_CODES = OUTCOMES_IN_ORDER.map(({ code }) => code) as [OutcomeCode, ...OutcomeCode[]];

export const SERVER_MESSAGES = {
  welcome: z.object({
    type: z.literal('welcome'),
    userId: userId.describe('Who you are: the `sub` of your token'),
    serverTime: moment('Now'),
    rains: z.array(z.object(snapshot)).describe('Rains that are scheduled, open or paused, at most 50, the next one first; fields as in `rain`, without `serverTime`'),
    limits: z.object({
      messageBytesMax: z.int().min(1).describe('The longest frame that you may send, bytes'),
      heartbeatMs: z.int().min(1).describe('How often you are pinged, ms'),
    }).describe('What this gateway asks of you'),
  }).describe('The first message of every connection.'),
  rain: z.object({ type: z.literal('rain'), ...snapshot, serverTime: moment('Now') })
    .describe('A snapshot: the answer to a `join`, and again whenever something about the rain has changed. It replaces what was said before.'),
  result: z.object({
    type: z.literal('result'),
    rainId: rain,
    ref: z.string().max(64).exactOptional().describe('The `ref` of the `grab` that this answers; absent when it had none, and when nobody asked (a `join` that finds your win)'),
    code: z.enum(OUTCOME_CODES).describe('See the codes'),
    reason: z.string().describe('The code as a word'),
    retryInMs: z.int().min(0).exactOptional().describe('With `-5`, and mostly with `-7`: ask again after so many ms, and not before'),
    redPacketId: packetId.exactOptional().describe('With `0` and `1`: the red packet that is yours'),
    amount: money.exactOptional().describe('With `0` and `1`: what is in it, a decimal string such as `"12.21"`'),
  }).describe('The answer to a `grab`, and to a `join` of somebody who has won before.'),
  credited: z.object({ type: z.literal('credited'), rainId: rain, redPacketId: packetId, amount: money })
    .describe('The money is in your wallet. May come twice, and before the `result` that it belongs to; means the same once.'),
  winners: z.object({
    type: z.literal('winners'),
    rainId: rain,
    winners: z.array(z.object({ user: z.string().describe('Masked: `a•••4`'), amount: money })).max(TICKER_WINNERS_MAX).describe('Some of those who were credited lately'),
  }).describe('A taste of who has won, for show. Never complete; nothing depends on it.'),
  ticket: z.object({
    type: z.literal('ticket'),
    rainId: rain,
    ticket: z.string().max(128).describe('To be shown with every `grab` of this rain, and with every later `join`'),
    expiresAt: moment('The end of the ticket'),
  }).describe('Your entry to a rain, where one is asked for.'),
  challenge: z.object({ type: z.literal('challenge'), rainId: rain, challenge: challenge.describe('As altcha-lib writes it; to be sent back unchanged') })
    .describe('To be solved before there is a ticket; answer with `solution`.'),
  pong: z.object({ type: z.literal('pong'), t: z.number().describe('The `t` of the `ping`'), serverTime: moment('Now') }).describe('The answer to a `ping`.'),
  goodbye: z.object({
    type: z.literal('goodbye'),
    reason: z.literal('service_restart').describe('Why'),
    reconnectInMs: z.int().min(0).describe('Come back after so many ms, and not before; another number for everybody'),
  }).describe('This gateway restarts; close 1012 follows.'),
  error: z.object({
    type: z.literal('error'),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('See the codes'),
    reason: z.string().describe('For the developer: what was expected of which field'),
  }).describe('A message of yours could not be understood, and changed nothing.'),
} as const;

export const serverMessage = z.discriminatedUnion('type', [
  SERVER_MESSAGES.welcome, SERVER_MESSAGES.rain, SERVER_MESSAGES.result, SERVER_MESSAGES.credited, SERVER_MESSAGES.winners,
  SERVER_MESSAGES.ticket, SERVER_MESSAGES.challenge, SERVER_MESSAGES.pong, SERVER_MESSAGES.goodbye, SERVER_MESSAGES.error,
]) satisfies z.ZodType<ServerMessage>;

/** The other way round: every field that the interfaces have is told of here, or this does not compile. */
type FieldNames<M extends { type: string }> = M extends unknown ? `${M['type']}.${keyof M & string}` : never;
true satisfies (FieldNames<ServerMessage> extends FieldNames<z.output<typeof serverMessage>> ? true : never);
