/** The console's page of codes: every refusal is JSON `{code, reason}` with one of these and changes nothing [R12]. */
export interface Refusal {
  status: number;
  code: string;
  reason: string;
}

export const REFUSALS = {
  bad_request: { status: 400, code: 'bad_request', reason: 'The request could not be understood.' },
  not_found: { status: 404, code: 'not_found', reason: 'There is nothing at this address.' },
  no_guests: { status: 404, code: 'no_guests', reason: 'Guest tokens are handed out in demo mode only; open the page with a token of your own.' },
  too_big: { status: 413, code: 'too_big', reason: 'The request body is larger than anything this server expects.' },
  not_json: { status: 415, code: 'not_json', reason: 'The request body must be application/json.' },
  too_many: { status: 429, code: 'too_many', reason: 'Too many requests from this address; wait a minute.' },
  internal: { status: 500, code: 'internal', reason: 'Something broke on our side; try again.' },
} as const satisfies Record<string, Refusal>;

/** What a thrown fault may say to the outside: its kind, never its text. */
export function refusalOf(error: unknown): Refusal {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (typeof status !== 'number' || status < 400 || status > 499) return REFUSALS.internal;
  return Object.values(REFUSALS).find((refusal) => refusal.status === status) ?? REFUSALS.bad_request;
}
