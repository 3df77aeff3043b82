import { z } from 'zod';
import { readJson } from '../rain/json.ts';
import { firstRefusal } from '../rain/refusal.ts';
import { ORDER_STATUSES } from '../sale/order.ts';
import { fieldError, plainBuyBody } from './codec.ts';
import { CLIENT_MESSAGES, type ErrorMessage } from './messages.ts';
import { SALE_CLIENT_MESSAGES, SALE_SERVER_MESSAGES } from './saleMessages.ts';
import type { SaleOutcomeCode } from './saleOutcomes.ts';
import { SERVER_MESSAGES } from './serverMessages.ts';

/** The requests and answers of buyers without a socket. The fields are those of the messages. */
const { sku, quantity, ticket } = SALE_CLIENT_MESSAGES.buy.shape;
const { challenge, solution } = CLIENT_MESSAGES.solution.shape;
export const buyBody = z.strictObject({ sku, quantity, ticket });
export const solutionBody = z.strictObject({ challenge, solution });

/** Seconds that a request may wait for a change at most: less than proxies wait for an answer. */
const ORDER_WAIT_SECONDS_MAX = 25;
const WAIT = `expected a whole number of seconds from 0 to ${ORDER_WAIT_SECONDS_MAX}`;
export const orderQuery = z.strictObject({
  wait: z.coerce
    .number(WAIT)
    .int(WAIT)
    .min(0, WAIT)
    .max(ORDER_WAIT_SECONDS_MAX, WAIT)
    .optional()
    .describe('Wait up to so many seconds for another status; absent: 0'),
  status: z
    .enum(ORDER_STATUSES, `expected one of ${ORDER_STATUSES.join(', ')}`)
    .optional()
    .describe('The status that you know. With another one the answer comes at once'),
});

/** A sale as `visit` shows it, and with it what `visit` would send next. */
export const visitedSale = SALE_SERVER_MESSAGES.sale.extend({
  ticket: SERVER_MESSAGES.ticket.shape.ticket.exactOptional().describe('Send it with every purchase of this sale'),
  expiresAt: SERVER_MESSAGES.ticket.shape.expiresAt.exactOptional(),
  challenge: SERVER_MESSAGES.challenge.shape.challenge.exactOptional().describe('Solve it to get a ticket'),
});
export type VisitedSale = z.infer<typeof visitedSale>;

/** Refusals of requests, in addition to those that an upgrade has too. */
export const HTTP_REFUSALS = {
  400: {
    status: 400,
    reason: 'bad_request',
    meaning: 'A header that counts once stands there twice, or a request without a body has one.',
  },
  404: { status: 404, reason: 'not_found', meaning: 'There is nothing at this path.' },
  405: { status: 405, reason: 'wrong_method', meaning: 'This path is asked with another method; `Allow` names it.' },
  411: {
    status: 411,
    reason: 'no_length',
    meaning: 'Content-Length: expected a number; a body in chunks is not read.',
  },
  413: { status: 413, reason: 'too_big', meaning: 'The body is longer than a message over a socket may be.' },
  415: { status: 415, reason: 'not_json', meaning: 'Content-Type: expected application/json.' },
} as const;

/**
 * The HTTP status of an `order`: whatever was decided is 200. Outcomes that may be tried again after a pause have
 * another one, as has a key that is used for another purchase: payment services answer that with 422.
 */
export function httpStatusOf(code: SaleOutcomeCode): number {
  switch (code) {
    case '-5':
      return 429;
    case '-7':
      return 503;
    case '-16':
      return 422;
    default:
      return 200;
  }
}

type DecodedBody<T> = { ok: true; value: T } | { ok: false; error: ErrorMessage };

/** Parses the body of a request, or gives the error for its sender [R12]. Never throws. */
export function decodeBody<T>(schema: z.ZodType<T>, text: string): DecodedBody<T> {
  const value = readJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, error: { type: 'error', code: 'not_json', reason: 'body: expected one JSON object' } };
  return checked(schema, value, 'body');
}

/** The same for a purchase: a regular expression reads nearly all of them, with the same result. */
export function decodeBuyBody(text: string): DecodedBody<z.infer<typeof buyBody>> {
  const plain = plainBuyBody(text);
  return plain ? { ok: true, value: plain } : decodeBody(buyBody, text);
}

/** The same for the part of an address after its question mark. */
export function decodeQuery<T>(schema: z.ZodType<T>, text: string): DecodedBody<T> {
  const fields = [...new URLSearchParams(text)];
  const twice = fields.find(([name], at) => fields.findIndex(([other]) => other === name) < at);
  if (twice) return { ok: false, error: fieldError({ field: twice[0], reason: 'expected once' }) };
  return checked(schema, Object.fromEntries(fields), 'query');
}

function checked<T>(schema: z.ZodType<T>, value: unknown, whole: string): DecodedBody<T> {
  const parsed = schema.safeParse(value);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, error: fieldError(firstRefusal(parsed.error, whole)) };
}
