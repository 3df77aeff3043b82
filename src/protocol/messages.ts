import { z } from 'zod';
import { amount, receipt } from '../rain/claim.ts';
import { plainId, rainId } from '../rain/ids.ts';
import { challenge, solution } from './proofOfWork.ts';
import { SALE_CLIENT_MESSAGES } from './saleMessages.ts';
import type { serverMessage } from './serverMessages.ts';

/** Chosen by the client and echoed in the answer, so that the client can match answers to its messages. */
const ref = z.string().max(64).describe('Any text you choose; the answer repeats it');

/** A ticket that the server issued, sent back unchanged. */
const ticket = z.string().max(128).describe('Your ticket for this rain, if tickets are required');
const rain = rainId.describe('The id of the rain');

const joinMessage = z
  .strictObject({ type: z.literal('join'), rainId: rain, ticket: ticket.optional() })
  .describe(
    'Watch a rain. You receive its snapshot now and after every change, your own result if you have one, and a ticket or a challenge if tickets are required.',
  );
const grabMessage = z
  .strictObject({ type: z.literal('grab'), rainId: rain, ref: ref.optional(), ticket: ticket.optional() })
  .describe(
    'Ask for a red packet. The gateway answers with exactly one `result`. A repeated grab is safe and gets the first answer again.',
  );
const solutionMessage = z
  .strictObject({
    type: z.literal('solution'),
    rainId: rain,
    saleId: rainId.optional().describe('Of a sale: its id, as in the `challenge`'),
    challenge: challenge.describe('The challenge as received, unchanged; fields as in `challenge`'),
    solution: solution.describe('The solution of that challenge'),
  })
  .describe('The solution of a `challenge`. The gateway answers with a `ticket`.');
const receiptMessage = z
  .strictObject({
    type: z.literal('receipt'),
    rainId: rain,
    redPacketId: plainId.describe('The id of your red packet'),
    amount: amount.describe('Its amount'),
    receipt: receipt.describe('The `receipt` of its `result`, unchanged'),
  })
  .describe(
    'Show a win that you were told earlier and that your `join` did not report. The gateway answers with a `receipt_status`.',
  );
const pingMessage = z
  .strictObject({ type: z.literal('ping'), t: z.number().describe('Any number you choose; the answer repeats it') })
  .describe("Ask for the server's time.");
export const CLIENT_MESSAGES = {
  join: joinMessage,
  grab: grabMessage,
  solution: solutionMessage,
  receipt: receiptMessage,
  ping: pingMessage,
  ...SALE_CLIENT_MESSAGES,
} as const;

/** Every message that a client may send. The token identifies the user; a message never does [R9]. */
export const clientMessage = z.discriminatedUnion('type', [
  joinMessage,
  grabMessage,
  solutionMessage,
  receiptMessage,
  pingMessage,
  SALE_CLIENT_MESSAGES.visit,
  SALE_CLIENT_MESSAGES.buy,
  SALE_CLIENT_MESSAGES.cancel,
]);
export type ClientMessage = z.infer<typeof clientMessage>;
export type JoinMessage = z.infer<typeof joinMessage>;
export type GrabMessage = z.infer<typeof grabMessage>;
export type SolutionMessage = z.infer<typeof solutionMessage>;
export type ReceiptMessage = z.infer<typeof receiptMessage>;
export type PingMessage = z.infer<typeof pingMessage>;

/** Every message that a server may send. Its fields are described where their schemas are. */
export type ServerMessage = z.infer<typeof serverMessage>;
type Received<Type extends ServerMessage['type']> = Extract<ServerMessage, { type: Type }>;
export type RainSnapshot = Received<'rain'>;
export type WelcomeMessage = Received<'welcome'>;
export type ResultMessage = Received<'result'>;
export type TicketMessage = Received<'ticket'>;
export type ChallengeMessage = Received<'challenge'>;
export type CreditedMessage = Received<'credited'>;
export type WinnersMessage = Received<'winners'>;
export type ErrorMessage = Received<'error'>;
export type ReceiptStatusMessage = Received<'receipt_status'>;
export type ReceiptStatus = ReceiptStatusMessage['status'];
export type GoodbyeMessage = Received<'goodbye'>;
