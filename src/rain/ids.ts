import { z } from 'zod';

/** Text that PostgreSQL, Redis, JSON and a log line can all hold unchanged. */
export const plainId = matching(/^[^\p{Cc}\p{Cs}]{1,128}$/u, 'expected 1 to 128 printable characters');

/** A user's identity as the token's `sub` gives it. */
export const userId = plainId;

/**
 * The same at the doors: an id that turns the text around it reads as another one, on a screen and in a file. Users
 * that were let in before are still paid.
 */
export const bearerId = plainId.regex(
  /^[^\p{Bidi_Control}\p{Zl}\p{Zp}]*$/u,
  'expected no character that turns the text around it',
);

/**
 * The id of a rain in Redis keys and in the ledger; braces and colons would break Cluster hash tags and key parsing.
 */
export const plainRainId = matching(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, _ or -');

/** The same; a round of a campaign has its number after a dot: `autumn.3`, see campaign.ts. */
export const rainId = matching(
  /^[A-Za-z0-9_-]{1,64}(\.[1-9]\d{0,2})?$/,
  'expected 1 to 64 letters, digits, _ or -, and of a campaign its round, such as .3',
);

/** A string of this form. The same expectation is reported for values that are not strings, such as numbers. */
export function matching(form: RegExp, expected: string): z.ZodString {
  return z.string(`${expected}, as a string`).regex(form, expected);
}
