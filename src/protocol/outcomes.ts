/**
 * THE page of codes. `code` and `reason` go over the wire; `meaning` is for people; the README's tables are generated from here.
 */
export interface Outcome {
  code: string;
  reason: string;
  meaning: string;
  /** What a client should do: ask again, wait and then ask, or stop. */
  retry: 'no' | 'after a pause' | 'when it opens' | 'when it resumes' | 'after joining again';
}

/**
 * In order of precedence: the order in which the gateway and then `lua/grab.lua` check. A gateway that knows beforehand what the
 * script would say to a loser (-2, -3, -1) says so before it looks at a ticket: where nothing can be won, none is needed.
 * -10 was an answer once and is not used again.
 */
export const OUTCOMES_IN_ORDER = [
  { code: '-6', reason: 'blocked', meaning: 'The operator has blocked this user or address. What was won before is credited all the same.', retry: 'no' },
  { code: '-5', reason: 'too_fast', meaning: 'More messages than hands can send; `retryInMs` says when to ask again.', retry: 'after a pause' },
  { code: '-9', reason: 'no_ticket', meaning: 'Join this rain first, or again: the ticket is missing, not yours or has run out. Who has won is told so by the join.', retry: 'after joining again' },
  { code: '-7', reason: 'busy', meaning: 'The outcome is unknown or could not be decided; asking again is safe and tells it.', retry: 'after a pause' },
  { code: '-8', reason: 'no_such_rain', meaning: 'There is no rain of this id, or it has long been settled.', retry: 'no' },
  { code: '1', reason: 'already_claimed', meaning: 'You have won before; this is that packet again.', retry: 'no' },
  { code: '-2', reason: 'not_started', meaning: 'The rain has not started.', retry: 'when it opens' },
  { code: '-3', reason: 'ended', meaning: 'The rain is over.', retry: 'no' },
  { code: '-4', reason: 'paused', meaning: 'The operator has paused the rain.', retry: 'when it resumes' },
  { code: '-11', reason: 'win_limit_reached', meaning: 'You have won in as many rounds of this campaign as anybody may, or in another one and this round is for those who have not.', retry: 'no' },
  { code: '-1', reason: 'nothing_left', meaning: 'All red packets are gone; a `rain` message with more of them says when it goes on.', retry: 'no' },
  { code: '0', reason: 'won', meaning: 'You have won this packet.', retry: 'no' },
] as const satisfies readonly Outcome[];
type KnownOutcome = (typeof OUTCOMES_IN_ORDER)[number];
export type OutcomeCode = KnownOutcome['code'];
/** Those after which a client asks again by itself. */
export type PausingCode = Extract<KnownOutcome, { retry: 'after a pause' }>['code'];

/** By code. (An object alone would not do: JavaScript lists "0" and "1" first.) */
export const OUTCOMES = Object.fromEntries(OUTCOMES_IN_ORDER.map((outcome) => [outcome.code, outcome])) as { readonly [C in OutcomeCode]: Extract<KnownOutcome, { code: C }> };

/**
 * When to ask again after an answer. A code of a newer server ends the question, unless it comes with a pause to wait: then the same
 * question is asked again after it. A packet that comes with it is won, whatever the code.
 */
export function retryOf({ code, retryInMs }: { code: string; retryInMs?: number | undefined }): Outcome['retry'] {
  const known = (OUTCOMES as Partial<Record<string, Outcome>>)[code];
  return known ? known.retry : retryInMs === undefined ? 'no' : 'after a pause';
}

/** The word for a code, in figures and reports: also for one of a newer server. */
export function reasonOf(code: string): string {
  return (OUTCOMES as Partial<Record<string, Outcome>>)[code]?.reason ?? `code_${code}`;
}

/** `error` messages: the frame could not be understood; nothing was changed [R12]. */
export const ERRORS = {
  not_json: { code: 'not_json', meaning: 'The frame is not one JSON object.' },
  not_text: { code: 'not_text', meaning: 'The frame is binary; rain.v1 is text.' },
  unknown_type: { code: 'unknown_type', meaning: '`type` is not join, grab, solution or ping.' },
  bad_field: { code: 'bad_field', meaning: 'A field is missing, of the wrong type or too long; the reason names it.' },
  not_solved: { code: 'not_solved', meaning: 'The solution is wrong, has run out, or is not of a challenge given to you for this rain; join again for another.' },
  not_allowed: { code: 'not_allowed', meaning: 'More rains joined on one socket than allowed.' },
} as const;
export type ErrorCode = keyof typeof ERRORS;

/** The close codes we choose; ws itself chooses 1002 (not WebSocket) and 1007 (not UTF-8). */
export const CLOSES = {
  1009: { code: 1009, reason: 'too_big', meaning: 'A frame exceeded the payload limit.', retry: 'no' },
  1012: { code: 1012, reason: 'service_restart', meaning: 'The gateway is restarting; `goodbye` has told when to come back.', retry: 'reconnect after a random pause' },
  4401: { code: 4401, reason: 'token_expired', meaning: 'The token ran out.', retry: 'reconnect with a new token' },
  4403: { code: 4403, reason: 'blocked', meaning: 'The operator has blocked this user or address.', retry: 'no' },
  4408: { code: 4408, reason: 'no_heartbeat', meaning: 'No pong came back in time.', retry: 'reconnect' },
  4413: { code: 4413, reason: 'too_slow', meaning: 'You do not read as fast as we write.', retry: 'reconnect' },
  4429: { code: 4429, reason: 'too_many_errors', meaning: 'Too many messages that could not be understood.', retry: 'no' },
  4430: { code: 4430, reason: 'too_fast', meaning: 'You went on asking while you were refused as too fast; until the pause is over the upgrade is refused, too.', retry: 'reconnect after a minute, and ask less often' },
} as const;
export type CloseCode = keyof typeof CLOSES;

/** Answers at the upgrade, before a socket exists. */
export const REFUSALS = {
  400: { status: 400, reason: 'bad_request', meaning: 'Not a WebSocket upgrade for subprotocol rain.v1.' },
  401: { status: 401, reason: 'unauthorized', meaning: 'No token, or one that does not verify.' },
  403: { status: 403, reason: 'forbidden', meaning: 'This origin or user may not connect.' },
  404: { status: 404, reason: 'not_found', meaning: 'The gateway listens at /v1.' },
  429: { status: 429, reason: 'too_many', meaning: 'More handshakes or sockets than one address may have, or closed as too fast a moment ago; Retry-After says when to come back.' },
  503: { status: 503, reason: 'unavailable', meaning: 'Full, shutting down, or without Redis; try again later.' },
  /** Beside the plain 403, which another token or page may pass. */
  blocked: { status: 403, reason: 'blocked', meaning: 'The operator has blocked this user or address.' },
} as const;
export type Refusal = keyof typeof REFUSALS;
