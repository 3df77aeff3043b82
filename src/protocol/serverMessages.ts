import { z } from 'zod';
import { amount, receipt } from '../rain/claim.ts';
import { rainId, userId } from '../rain/ids.ts';
import { shownPlan, type ShownPlan } from '../rain/plan.ts';
import { STORED_STATES } from '../rain/rain.ts';
import { recordedTerms } from '../rain/terms-check.ts';
import { TICKER_WINNERS_MAX } from '../rain/ticker.ts';
import { ERRORS, OUTCOMES_IN_ORDER, type ErrorCode, type OutcomeCode } from './outcomes.ts';
import { challenge } from './proofOfWork.ts';
import { SALE_SERVER_MESSAGES, shownSale, shownTicketRules } from './saleMessages.ts';

/**
 * Every message that a server sends, as schemas that describe each field. The types, docs/reference/messages.md and
 * docs/reference/asyncapi.json come from them, and recorded sessions are checked against them. Neither gateway nor
 * client loads this file. Fields may be added later, so a client must ignore fields that it does not know.
 */
const moment = (what: string) => z.int().min(0).describe(`${what}, epoch ms by the server's clock`);
const rain = rainId.describe('The id of the rain');
/** The sale of a ticket or a challenge: a rain and a sale may have the same id. */
const ofSale = rainId.exactOptional().describe('Only of a sale: its id, which `rainId` repeats');
const money = amount.meta({
  pattern: '^(0|[1-9]\\d{0,13})\\.\\d\\d$',
  description: 'Decimal string with two decimals, above 0; never a number',
});
const packetId = z.string().min(1).max(128).describe('The id of the red packet; it never changes');

const plan = z.custom<ShownPlan>((value) => shownPlan.safeParse(value).success).meta({ type: 'object' });

const topUp = z.object({
  commitment: z.string().describe('Like `commitment` of the rain, for the added packets'),
  packets: z.int().min(0).describe('How many red packets were added; they are handed out after all earlier ones'),
  seed: z.string().exactOptional().describe('Once the rain is settled: the random seed of the added packets, hex'),
  plan: plan.exactOptional().describe('Once the rain is settled: like `plan` of the rain'),
});

const snapshot = {
  rainId: rain,
  title: z.string().describe('The name of the rain, for people'),
  state: z.enum([...STORED_STATES, 'open']).describe('See “The life of a rain”'),
  opensAt: moment('When the rain opens'),
  closesAt: moment('When the rain closes'),
  packets: z.int().min(0).describe('Planned red packets'),
  left: z
    .int()
    .min(0)
    .describe(
      'Red packets left: until the end rounded up to about a hundredth of `packets`, and 0 only when none is left',
    ),
  rehearsal: z
    .literal(true)
    .exactOptional()
    .describe('Only in a rehearsal: the prizes are not real money; show this to the players'),
  terms: recordedTerms
    .exactOptional()
    .describe(
      'The terms of this rain, where they differ from the default. Ignore or pass on terms that you do not know',
    ),
  ticketRules: shownTicketRules,
  commitment: z
    .string()
    .exactOptional()
    .describe('SHA-256 of what decides which packet has which amount, hex; absent for a rain without commitment'),
  seed: z.string().exactOptional().describe('Once the rain is settled: the random seed of the packets, hex'),
  plan: plan
    .exactOptional()
    .describe('Once the rain is settled: budget, packets, split, min and max as the operator planned them'),
  shards: z
    .int()
    .min(1)
    .exactOptional()
    .describe('Once the rain is settled: the number of shards that its packets were divided into'),
  topUps: z
    .array(topUp)
    .readonly()
    .exactOptional()
    .describe(
      'Packets that were added after the creation of the rain, in order. After a `-1`, more `packets`, or packets `left` again, mean that the rain goes on and that a new grab can win',
    ),
};

const OUTCOME_CODES = OUTCOMES_IN_ORDER.map(({ code }) => code) as [OutcomeCode, ...OutcomeCode[]];

export const SERVER_MESSAGES = {
  welcome: z
    .object({
      type: z.literal('welcome'),
      userId: userId.describe('Your user id: the `sub` of your token'),
      serverTime: moment('Now'),
      rains: z
        .array(z.object(snapshot))
        .describe(
          'Rains that are scheduled, open or paused and meant for you, the next ones first: at most 10, and 4,096 bytes; fields as in `rain`, without `serverTime`. Others may exist: `join` by the id',
        ),
      sales: z
        .array(shownSale)
        .exactOptional()
        .describe(
          'Sales that are scheduled, open or paused, as `rains`; absent if there are none; fields as in `sale`, without `serverTime` and `items`: `visit` one to see them',
        ),
      limits: z
        .object({
          messageBytesMax: z.int().min(1).describe('The longest frame that you may send, bytes'),
          heartbeatMs: z.int().min(1).describe('How often the gateway pings you, ms'),
        })
        .describe('Limits of this gateway'),
    })
    .describe('The first message of every connection.'),
  rain: z
    .object({ type: z.literal('rain'), ...snapshot, serverTime: moment('Now') })
    .describe(
      'A snapshot of a rain: the answer to a `join`, and sent again after every change. It replaces all earlier snapshots.',
    ),
  result: z
    .object({
      type: z.literal('result'),
      rainId: rain,
      ref: z
        .string()
        .max(64)
        .exactOptional()
        .describe(
          'The `ref` of the `grab` that this answers; absent if the grab had none, and in the answer to a `join`',
        ),
      code: z.enum(OUTCOME_CODES).describe('See “Codes”'),
      reason: z.string().describe('The code as a word'),
      retryInMs: z
        .int()
        .min(0)
        .exactOptional()
        .describe('With `-5`, and mostly with `-7`: wait this long before you grab again, ms'),
      redPacketId: packetId.exactOptional().describe('With `0` and `1`: the id of your red packet'),
      amount: money.exactOptional().describe('With `0` and `1`: its amount, a decimal string such as `"12.21"`'),
      receipt: receipt
        .exactOptional()
        .describe('With `0` and `1`: the proof that you were told of this win. Keep it; see `receipt`'),
    })
    .describe('The answer to a `grab`, and to the `join` of a user who has won in this rain already.'),
  credited: z
    .object({ type: z.literal('credited'), rainId: rain, redPacketId: packetId, amount: money })
    .describe(
      'The money is in your wallet. This message may arrive twice, or before its `result`; treat repeats as one.',
    ),
  winners: z
    .object({
      type: z.literal('winners'),
      rainId: rain,
      winners: z
        .array(
          z.object({
            user: z.string().describe('The name as WINNER_NAMES of the gateway says; masked by default: `a•••4`'),
            amount: money,
          }),
        )
        .max(TICKER_WINNERS_MAX)
        .describe('Some recently credited winners'),
    })
    .describe('A sample of recent winners, for display. Never complete; do not rely on it.'),
  ticket: z
    .object({
      type: z.literal('ticket'),
      rainId: rain,
      saleId: ofSale,
      ticket: z
        .string()
        .max(128)
        .describe(
          'Send it with every `grab` of this rain and with every later `join`; of a sale with every `buy` and `visit`',
        ),
      expiresAt: moment('When the ticket expires'),
    })
    .describe('Your ticket for a rain or a sale, if tickets are required.'),
  challenge: z
    .object({
      type: z.literal('challenge'),
      rainId: rain,
      saleId: ofSale,
      challenge: challenge.describe('A challenge in the format of altcha-lib; send it back unchanged'),
    })
    .describe('Solve this to get a ticket; answer with `solution`.'),
  receipt_status: z
    .object({
      type: z.literal('receipt_status'),
      rainId: rain,
      redPacketId: packetId,
      status: z
        .enum(['known', 'restored', 'recorded', 'not_genuine', 'busy'])
        .describe(
          '`known`: the server has the win. `restored`: it had lost it, and has it again. `recorded`: the rain is gone or settled without it; the operator will decide. `not_genuine`: the receipt is not ours, or not yours. `busy`: show it again later',
        ),
    })
    .describe('The answer to a `receipt`.'),
  pong: z
    .object({ type: z.literal('pong'), t: z.number().describe('The `t` of the `ping`'), serverTime: moment('Now') })
    .describe('The answer to a `ping`.'),
  goodbye: z
    .object({
      type: z.literal('goodbye'),
      reason: z.literal('service_restart').describe('The reason'),
      reconnectInMs: z.int().min(0).describe('Wait this long before you reconnect, ms; randomised per client'),
    })
    .describe('This gateway restarts; it closes the connection with 1012 next.'),
  error: z
    .object({
      type: z.literal('error'),
      code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]).describe('See “Codes”'),
      reason: z.string().describe('For the developer: which field is wrong and what was expected'),
    })
    .describe('The gateway could not understand a message of yours. The message had no effect.'),
  ...SALE_SERVER_MESSAGES,
} as const;

export const serverMessage = z.discriminatedUnion('type', [
  SERVER_MESSAGES.welcome,
  SERVER_MESSAGES.rain,
  SERVER_MESSAGES.result,
  SERVER_MESSAGES.credited,
  SERVER_MESSAGES.winners,
  SERVER_MESSAGES.ticket,
  SERVER_MESSAGES.challenge,
  SERVER_MESSAGES.receipt_status,
  SERVER_MESSAGES.pong,
  SERVER_MESSAGES.goodbye,
  SERVER_MESSAGES.error,
  SERVER_MESSAGES.sale,
  SERVER_MESSAGES.order,
  SERVER_MESSAGES.restock,
]);
