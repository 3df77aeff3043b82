import type { FastifyReply } from 'fastify';
import { refusedBecause } from '../platform/redis/refusal.ts';
import { isUnavailable } from '../platform/redis/unavailable.ts';
import { formatRefusal, type Refusal as FieldRefusal } from '../rain/refusal.ts';

/**
 * All codes of the console. Every refusal is JSON `{code, reason}` with one of these codes, and changes nothing [R12].
 */
export interface Refusal {
  status: number;
  code: string;
  reason: string;
  /** The faulty fields of the request, each with its reason. */
  refusals?: readonly FieldRefusal[];
  /** When the request may be repeated, ms; sent as Retry-After. */
  retryInMs?: number;
}

export const REFUSALS = {
  bad_request: { status: 400, code: 'bad_request', reason: 'The request is malformed.' },
  no_session: { status: 401, code: 'no_session', reason: 'You are not signed in, or your session has ended. Sign in.' },
  wrong_password: { status: 401, code: 'wrong_password', reason: 'The name or the password is wrong.' },
  wrong_code: {
    status: 401,
    code: 'wrong_code',
    reason: 'The code is wrong, or was used already. Wait for the next one.',
  },
  token_ended: {
    status: 401,
    code: 'token_ended',
    reason: 'This token has ended. Make another one with: rain operator token',
  },
  not_allowed: { status: 403, code: 'not_allowed', reason: 'Your account may only read. Ask an operator.' },
  code_needed: {
    status: 403,
    code: 'code_needed',
    reason: 'The password is right. Type the code of your app, too, or one of your recovery codes.',
  },
  totp_needed: {
    status: 403,
    code: 'totp_needed',
    reason: 'Whoever may act needs one-time codes here. Set them up under your name.',
  },
  bad_csrf: {
    status: 403,
    code: 'bad_csrf',
    reason: 'The header x-csrf-token is missing or belongs to another session. Reload the page.',
  },
  cross_origin: {
    status: 403,
    code: 'cross_origin',
    reason: 'The request was sent by a page of another origin, or a proxy has changed the header Host.',
  },
  blocked: { status: 403, code: 'blocked', reason: 'The host does not let this guest take part.' },
  not_found: { status: 404, code: 'not_found', reason: 'Nothing exists at this address.' },
  no_such_rain: { status: 404, code: 'no_such_rain', reason: 'There is no rain with this id.' },
  no_such_sale: { status: 404, code: 'no_such_sale', reason: 'There is no sale with this id.' },
  no_such_campaign: { status: 404, code: 'no_such_campaign', reason: 'There is no campaign with this id.' },
  no_such_session: {
    status: 404,
    code: 'no_such_session',
    reason: 'You have no session or token with this id. It may have ended.',
  },
  no_guests: {
    status: 404,
    code: 'no_guests',
    reason: 'No guests may come in here. Open the page with your own token.',
  },
  no_participants: { status: 404, code: 'no_participants', reason: 'Nobody comes in by a code here.' },
  no_such_code: {
    status: 404,
    code: 'no_such_code',
    reason: 'Nobody on the list has this code. Check it, or ask the host.',
  },
  wrong_host: {
    status: 421,
    code: 'wrong_host',
    reason: 'This server does not go by the name in the header Host. Its operator adds it to CONSOLE_HOSTS.',
  },
  too_big: { status: 413, code: 'too_big', reason: 'The request body is too large.' },
  not_json: { status: 415, code: 'not_json', reason: 'The request body must be application/json.' },
  needs_approval: {
    status: 403,
    code: 'needs_approval',
    reason: 'This much money needs a second operator. It waits under Approvals.',
  },
  refused: { status: 422, code: 'refused', reason: 'The request is valid but cannot be carried out now.' },
  too_many: { status: 429, code: 'too_many', reason: 'Too many requests from this address. Wait a minute.' },
  too_many_attempts: { status: 429, code: 'too_many_attempts', reason: 'Too many failed attempts to sign in.' },
  internal: { status: 500, code: 'internal', reason: 'The server has an internal error. Try again.' },
  unavailable: {
    status: 503,
    code: 'unavailable',
    reason: 'Redis or the database does not answer. Nothing is lost. Try again in a moment.',
  },
} as const satisfies Record<string, Refusal>;
export type RefusalCode = keyof typeof REFUSALS;

/** The refusals of a verb or a schema: the first one as text, and all of them by field. */
export function refusalFor(
  refusals: readonly FieldRefusal[],
  code: 'refused' | 'bad_request' | 'needs_approval',
): Refusal {
  return { ...REFUSALS[code], reason: refusals[0] ? formatRefusal(refusals[0]) : REFUSALS[code].reason, refusals };
}

/** @param retryInMs when the request may be repeated, ms; absent: not said */
export function refuse(
  reply: FastifyReply,
  { status, retryInMs: own, ...body }: Refusal,
  retryInMs = own,
): FastifyReply {
  if (retryInMs !== undefined) reply.header('retry-after', Math.ceil(retryInMs / 1_000));
  return reply.code(status).header('cache-control', 'no-store').send(body);
}

/**
 * Refusals by the libraries, by status. 403 is a path that leads out of the folder of the pages: whoever
 * asks, nothing is there.
 */
const BY_STATUS: Readonly<Record<number, Refusal>> = {
  403: REFUSALS.not_found,
  404: REFUSALS.not_found,
  413: REFUSALS.too_big,
  415: REFUSALS.not_json,
  429: REFUSALS.too_many,
};

/** Maps a thrown error to a refusal. The error's text stays inside. @param bodyBytesMax of the request */
export function refusalOf(error: unknown, bodyBytesMax?: number): Refusal {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499)
    return isUnavailable(error) ? unavailable(error) : REFUSALS.internal;
  return status === REFUSALS.too_big.status && bodyBytesMax !== undefined
    ? { ...REFUSALS.too_big, reason: `The request body is too large, expected at most ${bodyBytesMax / 1_024} KiB.` }
    : (BY_STATUS[status] ?? REFUSALS.bad_request);
}

function unavailable(error: unknown): Refusal {
  const why = refusedBecause(error);
  if (why === undefined) return REFUSALS.unavailable;
  return {
    ...REFUSALS.unavailable,
    reason: `Redis does not serve now: ${why}. Nothing is lost. Try again in a moment.`,
  };
}

export const PLAYER_REFUSALS = {
  no_token: { status: 401, code: 'no_token', reason: 'Send a valid, unexpired token: Authorization: Bearer <jwt>.' },
  no_such_rain: REFUSALS.no_such_rain,
  too_often: { status: 429, code: 'too_often', reason: 'Too many requests. Wait a few seconds.' },
  busy: {
    status: 503,
    code: 'busy',
    reason: 'Very many users are reading their wallets now. Your winnings are safe. Try again in a moment.',
  },
  unavailable: {
    status: 503,
    code: 'unavailable',
    reason: 'This cannot be read now. Your winnings are safe. Try again in a moment.',
  },
} as const satisfies Record<string, Refusal>;

/** Refusals of a shop's reports. */
export const SHOP_REFUSALS = {
  not_signed: {
    status: 401,
    code: 'not_signed',
    reason: 'Rain-Timestamp and Rain-Signature are not those of this body under ORDER_WEBHOOK_SECRET.',
  },
  old_timestamp: {
    status: 401,
    code: 'old_timestamp',
    reason: 'Rain-Timestamp is more than five minutes away from our clock. Sign the request again.',
  },
  no_such_order: {
    status: 404,
    code: 'no_such_order',
    reason:
      'There is no order with this id, and there will be none: expected the orderId of an order that you were posted.',
  },
  step_refused: {
    status: 409,
    code: 'step_refused',
    reason: 'An order with this status cannot take this step. Nothing was changed.',
  },
  pay_back: {
    status: 409,
    code: 'pay_back',
    reason: 'The units of this order were released before it was paid. Pay the buyer back.',
  },
  not_yet: {
    status: 425,
    code: 'not_yet',
    reason: 'There is no such order yet, or it is not paid yet. Tell it again in a moment.',
  },
  busy: { status: 503, code: 'busy', reason: 'Too many reports at once. Tell it again in a moment.' },
  unavailable: REFUSALS.unavailable,
} as const satisfies Record<string, Refusal>;
