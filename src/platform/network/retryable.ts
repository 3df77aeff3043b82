/**
 * ALL RETRY RULES: only an answer about the request itself is final. Any other answer leaves the outcome unknown. A
 * retry is safe, because every request carries its own id [R5]. backoff.ts and retryAfter.ts define the pauses, the
 * callers how often and how long to retry (credit/retryPolicy.ts, loadtest/bots/retryPolicy.ts).
 */

/**
 * Classes of SQLSTATE about the values, which will be refused again: 22 invalid for these types, 23 forbidden by a
 * constraint, 44 by a view, P0 by a rule written for this database.
 */
const SQL_REFUSAL = /^(22|23|44|P0)...$/s;

/**
 * Whether a database error is final for its statement.
 *
 * Everything but those four classes is `again`: 08 connection, 40 serialization and deadlock, 53 resources, 55 not in
 * this state, 57 shutdown or cancelled, 58 and XX internal error, 25 (25006: a standby that is not promoted yet), 28
 * and 42 (a missing permission or migration), and every unknown class.
 * @param sqlState five characters; any other text is `again`
 */
export function ofSqlState(sqlState: string): 'refuse' | 'again' {
  return SQL_REFUSAL.test(sqlState) ? 'refuse' : 'again';
}

/**
 * 4xx about the time, or the configuration (a wrong secret, address or proxy), which must not give up all wins of a
 * night.
 */
const HTTP_AGAIN: ReadonlySet<number> = new Set([401, 405, 407, 408, 425, 429]);

/**
 * `done` 2xx · `already` 409, this very request was carried out before · `again` 401, 405, 407, 408, 425, 429, 5xx ·
 * `giveUp` every other 4xx.
 *
 * 3xx is `again`, and is never followed: the owner of the next address would get a validly signed body. A redirect is
 * about the address (a maintenance page), not about the request. A status outside of 200 to 599 has no meaning, and is
 * `again`.
 */
export function ofHttpStatus(status: number): 'done' | 'already' | 'again' | 'giveUp' {
  if (status >= 200 && status < 300) return 'done';
  if (status === 409) return 'already';
  if (status >= 400 && status < 500 && !HTTP_AGAIN.has(status)) return 'giveUp';
  return 'again';
}
