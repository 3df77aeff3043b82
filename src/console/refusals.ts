import { isUnavailable } from '../platform/redis/unavailable.ts';
import type { Refusal as FieldRefusal } from '../rain/refusal.ts';

/** The console's page of codes: every refusal is JSON `{code, reason}` with one of these and changes nothing [R12]. */
export interface Refusal {
  status: number;
  code: string;
  reason: string;
  /** Field by field, when the request was at fault. */
  refusals?: readonly FieldRefusal[];
}

export const REFUSALS = {
  bad_request: { status: 400, code: 'bad_request', reason: 'The request could not be understood.' },
  no_session: { status: 401, code: 'no_session', reason: 'Nobody is signed in, or the session is over; sign in.' },
  wrong_password: { status: 401, code: 'wrong_password', reason: 'This name and password do not belong together.' },
  not_allowed: { status: 403, code: 'not_allowed', reason: 'You may look and not touch; ask an operator.' },
  bad_csrf: { status: 403, code: 'bad_csrf', reason: 'The header x-csrf-token is missing or is not that of this session; load the page again.' },
  cross_origin: { status: 403, code: 'cross_origin', reason: 'The request comes from a page of another origin.' },
  look_only: { status: 403, code: 'look_only', reason: 'The board of the queues is for looking: dead letters are sent again or discarded on their own page, which keeps the books.' },
  not_found: { status: 404, code: 'not_found', reason: 'There is nothing at this address.' },
  no_such_rain: { status: 404, code: 'no_such_rain', reason: 'There is no rain of this id.' },
  no_such_campaign: { status: 404, code: 'no_such_campaign', reason: 'There is no campaign of this id.' },
  no_guests: { status: 404, code: 'no_guests', reason: 'Guest tokens are handed out in demo mode only; open the page with a token of your own.' },
  too_big: { status: 413, code: 'too_big', reason: 'The request body is larger than anything this server expects.' },
  not_json: { status: 415, code: 'not_json', reason: 'The request body must be application/json.' },
  refused: { status: 422, code: 'refused', reason: 'It was understood and is not taken.' },
  too_many: { status: 429, code: 'too_many', reason: 'Too many requests from this address; wait a minute.' },
  internal: { status: 500, code: 'internal', reason: 'Something broke on our side; try again.' },
  unavailable: { status: 503, code: 'unavailable', reason: 'Redis or the database does not answer; nothing is lost, try again in a moment.' },
} as const satisfies Record<string, Refusal>;
export type RefusalCode = keyof typeof REFUSALS;

/** What a thrown fault may say to the outside: its kind, never its text. */
export function refusalOf(error: unknown): Refusal {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return isUnavailable(error) ? REFUSALS.unavailable : REFUSALS.internal;
  return Object.values(REFUSALS).find((refusal) => refusal.status === status) ?? REFUSALS.bad_request;
}

/** What a player may hear beside the console's own refusals. */
export const PLAYER_REFUSALS = {
  no_token: { status: 401, code: 'no_token', reason: 'Expected the token that you play with: Authorization: Bearer <jwt>, valid and not run out.' },
  no_such_rain: REFUSALS.no_such_rain,
  too_often: { status: 429, code: 'too_often', reason: 'You ask too often; wait a few seconds.' },
  busy: { status: 503, code: 'busy', reason: 'Very many look at their wallets just now. What you have won is safe; ask again in a moment.' },
  unavailable: { status: 503, code: 'unavailable', reason: 'The book cannot be read just now. What you have won is safe; ask again in a moment.' },
} as const satisfies Record<string, Refusal>;
