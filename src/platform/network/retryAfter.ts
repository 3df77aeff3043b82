/** Upper limit for a Retry-After [R10], ms. */
export const RETRY_AFTER_MS_MAX = 600_000;

/** RFC 9110's preferred form; the two obsolete forms are ignored. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * Parses a Retry-After header: seconds, or an HTTP date. It counts only with 429 and 503.
 * @param now epoch ms
 * @returns ms, 0 to RETRY_AFTER_MS_MAX; `undefined`: no valid header
 */
export function retryAfterMs(status: number, header: string | null, now: number): number | undefined {
  if ((status !== 429 && status !== 503) || header === null) return undefined;
  const text = header.trim();
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : HTTP_DATE.test(text) ? Date.parse(text) - now : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), RETRY_AFTER_MS_MAX);
}
