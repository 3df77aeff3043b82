import { z } from 'zod';
import { readJson } from './json.ts';
import { parseMoney } from './money.ts';
import { firstRefusal, formatRefusal } from './refusal.ts';

/** Text that PostgreSQL, Redis, JSON and a log line can all hold unchanged. */
export const plainId = matching(/^[^\p{Cc}\p{Cs}]{1,128}$/u, 'expected 1 to 128 printable characters');

/** A user's identity as the token's `sub` gives it. */
export const userId = plainId;

/** The id of a rain in Redis keys and in the ledger; braces and colons would break Cluster hash tags and key parsing. */
export const plainRainId = matching(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, _ or -');

/** The same; a round of a campaign has its number after a dot: `autumn.3`, see campaign.ts. */
export const rainId = matching(/^[A-Za-z0-9_-]{1,64}(\.[1-9]\d{0,2})?$/, 'expected 1 to 64 letters, digits, _ or -, and of a campaign its round, such as .3');

const AMOUNT = 'expected a positive amount such as "12.21"';

/** A positive amount as in messages and lists, e.g. `"12.21"`. */
export const amount = z.string(AMOUNT).refine((text) => (parseMoney(text) ?? 0n) > 0n, AMOUNT);

/** The record of a win. Written by `lua/grab.lua`, it passes unchanged through the claim log, the relay and the job to the ledger. */
export const claim = z.object({
  rainId,
  redPacketId: plainId,
  amount,
  userId,
  /** Redis's clock at the win, as a string: cjson would change a long number. */
  at: matching(/^\d{13}$/, 'expected epoch milliseconds'),
});
export type Claim = z.infer<typeof claim>;

type ParsedClaim = { ok: true; claim: Claim } | { ok: false; reason: string };

/** A string of this form. The same expectation is reported for values that are not strings, such as numbers. */
function matching(form: RegExp, expected: string): z.ZodString {
  return z.string(`${expected}, as a string`).regex(form, expected);
}

/** Parses one entry of the claim log: a claim, or the reason why it is not one. Never throws. */
export function parseClaim(entry: string): ParsedClaim {
  const value = readJson(entry);
  if (value === undefined) return { ok: false, reason: 'not JSON' };
  const parsed = claim.safeParse(value);
  return parsed.success ? { ok: true, claim: parsed.data } : { ok: false, reason: formatRefusal(firstRefusal(parsed.error, 'claim')) };
}
