/**
 * All codes of the protocol. `code` and `reason` are sent over the wire. `meaning` is for people: the tables of
 * docs/reference/codes.md are generated from it.
 */
export interface Outcome {
  code: string;
  reason: string;
  meaning: string;
  /** Whether and when a client should grab again. */
  retry: 'no' | 'after a pause' | 'when it opens' | 'when it resumes' | 'after joining again';
}

/**
 * In order of precedence: the order in which the gateway and then `lua/grab.lua` check. A gateway that can predict the
 * script's answer to a loser (-2, -3, -1) sends it before it checks the ticket: where nothing can be won, no ticket is
 * needed. -10 was used by an earlier version and must not be used again.
 */
export const OUTCOMES_IN_ORDER = [
  {
    code: '-6',
    reason: 'blocked',
    meaning: 'The operator has blocked this user or address. Earlier wins are still credited.',
    retry: 'no',
  },
  {
    code: '-5',
    reason: 'too_fast',
    meaning: 'You send more messages than a person can tap; `retryInMs` says when to grab again.',
    retry: 'after a pause',
  },
  {
    code: '-9',
    reason: 'no_ticket',
    meaning:
      'The ticket is missing, expired, or belongs to another user or rain. Join the rain (again) to get one. If you have won already, the join reports it.',
    retry: 'after joining again',
  },
  {
    code: '-7',
    reason: 'busy',
    meaning: 'The outcome is unknown or was not decided. Grabbing again is safe and returns the outcome.',
    retry: 'after a pause',
  },
  {
    code: '-8',
    reason: 'no_such_rain',
    meaning: 'There is no rain with this id, it was settled long ago, or your token is not for it.',
    retry: 'no',
  },
  {
    code: '1',
    reason: 'already_claimed',
    meaning: 'You have won in this rain already; this is your packet again.',
    retry: 'no',
  },
  { code: '-2', reason: 'not_started', meaning: 'The rain has not started.', retry: 'when it opens' },
  { code: '-3', reason: 'ended', meaning: 'The rain is over.', retry: 'no' },
  { code: '-4', reason: 'paused', meaning: 'The operator has paused the rain.', retry: 'when it resumes' },
  {
    code: '-11',
    reason: 'win_limit_reached',
    meaning:
      'You have won in as many rounds of this campaign as this round allows, or the host has excluded you from it.',
    retry: 'no',
  },
  {
    code: '-1',
    reason: 'nothing_left',
    meaning: 'All red packets are gone. If the operator adds more, a `rain` message shows them.',
    retry: 'no',
  },
  { code: '0', reason: 'won', meaning: 'You have won this packet.', retry: 'no' },
] as const satisfies readonly Outcome[];
export type KnownOutcome = (typeof OUTCOMES_IN_ORDER)[number];
export type OutcomeCode = KnownOutcome['code'];
/** The codes after which a client grabs again by itself. */
export type PausingCode = Extract<KnownOutcome, { retry: 'after a pause' }>['code'];

/** Answers without a packet that end a grab. */
export type Refused = Extract<KnownOutcome, { code: `-${number}`; retry: 'no' | 'when it opens' | 'when it resumes' }>;

export function isRefusal(outcome: KnownOutcome): outcome is Refused {
  return outcome.code.startsWith('-') && outcome.retry !== 'after a pause' && outcome.retry !== 'after joining again';
}

/** All outcomes by code. (The list above keeps the order: an object would list "0" and "1" first.) */
export const OUTCOMES = Object.fromEntries(OUTCOMES_IN_ORDER.map((outcome) => [outcome.code, outcome])) as {
  readonly [C in OutcomeCode]: Extract<KnownOutcome, { code: C }>;
};

/**
 * When to grab again after an answer. An unknown code (of a newer server) ends the grab, unless it carries `retryInMs`:
 * then the same grab is repeated after that delay. A packet that comes with an unknown code is won.
 * @param outcomes the table of codes; that of a purchase is another one
 */
export function retryOf(
  { code, retryInMs }: { code: string; retryInMs?: number | undefined },
  outcomes: Partial<Record<string, Outcome>> = OUTCOMES,
): Outcome['retry'] {
  const known = outcomes[code];
  return known ? known.retry : retryInMs === undefined ? 'no' : 'after a pause';
}

/** The reason word of a code, for metrics and reports. Also accepts a code of a newer server. */
export function reasonOf(code: string, outcomes: Partial<Record<string, Outcome>> = OUTCOMES): string {
  return outcomes[code]?.reason ?? `code_${code}`;
}

/** Codes of `error` messages: the frame could not be understood and had no effect [R12]. */
export const ERRORS = {
  not_json: { code: 'not_json', meaning: 'The frame, or over HTTP the body, is not one JSON object.' },
  not_text: { code: 'not_text', meaning: 'The frame is binary; rain.v1 is text.' },
  unknown_type: {
    code: 'unknown_type',
    meaning: '`type` is not join, grab, visit, buy, cancel, solution, receipt or ping.',
  },
  bad_field: { code: 'bad_field', meaning: 'A field is missing, of the wrong type or too long; the reason names it.' },
  not_solved: {
    code: 'not_solved',
    meaning:
      'The solution is wrong or too late, or the challenge was not issued to you for this rain or sale. Join or visit again for a new challenge.',
  },
  not_allowed: { code: 'not_allowed', meaning: 'This socket watches as many rains and sales as allowed.' },
} as const;
export type ErrorCode = keyof typeof ERRORS;

/**
 * The close codes that we choose. The ws library itself uses 1002 (invalid frame), 1007 (not UTF-8) and 1008 (too many
 * fragments).
 */
export const CLOSES = {
  1009: { code: 1009, reason: 'too_big', meaning: 'A frame exceeded the payload limit.', retry: 'no' },
  1012: {
    code: 1012,
    reason: 'service_restart',
    meaning: 'The gateway restarts; the preceding `goodbye` says when to reconnect.',
    retry: 'reconnect after a random pause',
  },
  4401: { code: 4401, reason: 'token_expired', meaning: 'The token has expired.', retry: 'reconnect with a new token' },
  4403: { code: 4403, reason: 'blocked', meaning: 'The operator has blocked this user or address.', retry: 'no' },
  4408: {
    code: 4408,
    reason: 'no_heartbeat',
    meaning: 'The client did not answer a ping in time.',
    retry: 'reconnect',
  },
  4413: { code: 4413, reason: 'too_slow', meaning: 'The client reads too slowly.', retry: 'reconnect' },
  4429: {
    code: 4429,
    reason: 'too_many_errors',
    meaning: 'Too many messages that could not be understood.',
    retry: 'no',
  },
  4430: {
    code: 4430,
    reason: 'too_fast',
    meaning:
      'You kept sending messages while they were refused as too fast. Until the ban ends, the upgrade is refused, too.',
    retry: 'reconnect after a minute, and send less often',
  },
} as const;
export type CloseCode = keyof typeof CLOSES;

/** HTTP answers at the upgrade, before a socket exists. */
export const REFUSALS = {
  400: { status: 400, reason: 'bad_request', meaning: 'Not a WebSocket upgrade with subprotocol rain.v1.' },
  401: { status: 401, reason: 'unauthorized', meaning: 'The token is missing or not valid.' },
  403: { status: 403, reason: 'forbidden', meaning: 'This origin or user may not connect.' },
  404: { status: 404, reason: 'not_found', meaning: 'Sockets open at /v1.' },
  429: {
    status: 429,
    reason: 'too_many',
    meaning:
      'This address has too many handshakes or sockets, or this user or address is banned for sending too fast. Retry-After says when to try again.',
  },
  503: {
    status: 503,
    reason: 'unavailable',
    meaning: 'The gateway is full, is shutting down, or cannot reach Redis. Try again later.',
  },
  /** Distinct from the plain 403, which another token or another page origin may pass. */
  blocked: { status: 403, reason: 'blocked', meaning: 'The operator has blocked this user or address.' },
} as const;
export type Refusal = keyof typeof REFUSALS;
