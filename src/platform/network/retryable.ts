/**
 * THE PAGE OF RETRIES: which failure passes and which stays, told by the code that the other side gave. How long to wait
 * stands in backoff.ts; how often, and for how long in all, with whoever tries (credit/retryPolicy.ts, loadtest/retryPolicy.ts).
 *
 * The rule: only an answer that speaks of what was asked is final. One that speaks of the circumstances, or that nobody
 * can read, leaves open what happened, and asking again is safe, since every request here carries its own name [R5].
 */

/** Classes of SQLSTATE that speak of the values: the same values will be refused tomorrow, too. */
const SQL_REFUSALS: Readonly<Record<string, string>> = {
  22: 'no values of these types',
  23: 'a constraint forbids them',
  44: 'a view forbids them',
  P0: 'a rule written for this database forbids them',
};

/**
 * What a database's refusal means for the statement it refused.
 *
 * Everything but those four classes is `again`: 08 connection, 40 serialization and deadlock, 53 resources, 55 not in this
 * state, 57 shutdown or cancelled, 58 and XX its own fault, 25 (25006: a standby that is not promoted yet), 28 and 42 (an
 * operator has not granted or migrated yet), and whatever else there is or will be.
 * @param sqlState five characters; anything else is `again`
 */
export function ofSqlState(sqlState: string): 'refuse' | 'again' {
  return sqlState.length === 5 && Object.hasOwn(SQL_REFUSALS, sqlState.slice(0, 2)) ? 'refuse' : 'again';
}

/** What an HTTP status means for the request it answers. */
type HttpVerdict = 'done' | 'already' | 'again' | 'giveUp';

/**
 * Of the 4xx, those that do not speak of what was asked but of the moment (request timeout, too early, too many requests) or
 * of how it was asked (a wrong secret, address or proxy): an operator's slip must not give up every win of a night.
 */
const HTTP_AGAIN: ReadonlySet<number> = new Set([401, 405, 407, 408, 425, 429]);

/**
 * `done` 2xx · `already` 409, this very request was carried out before · `again` 401, 405, 407, 408, 425, 429, 5xx · `giveUp` every other 4xx.
 *
 * 3xx is `again`, and is never followed: the signature is meant for one address, and whoever owns the next one would get a
 * body that proves itself. A redirect speaks of the address (a maintenance page, a balancer that is being moved), not of what
 * was asked, so nothing is given up for it. A status outside of 200 to 599 says nothing, and is `again`.
 */
export function ofHttpStatus(status: number): HttpVerdict {
  if (status >= 200 && status < 300) return 'done';
  if (status === 409) return 'already';
  if (status >= 400 && status < 500 && !HTTP_AGAIN.has(status)) return 'giveUp';
  return 'again';
}

/** The longest that anybody is made to wait by a Retry-After [R10], ms. */
export const RETRY_AFTER_MS_MAX = 600_000;

/** RFC 9110's preferred form; the two obsolete ones are taken for none. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * What a Retry-After says: seconds, or an HTTP date. Heard with 429 and 503 only.
 *
 * @param now epoch ms
 * @returns ms, 0 to RETRY_AFTER_MS_MAX; `undefined`: it does not say
 */
export function retryAfterMs(status: number, header: string | null, now: number): number | undefined {
  if ((status !== 429 && status !== 503) || header === null) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : HTTP_DATE.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}
