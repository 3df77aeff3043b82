import { z } from 'zod';
import { firstRefusal } from '../rain/refusal.ts';
import type { Refused } from './context.ts';

/** Text that an operator writes and others read. @param expected the refusal of an empty text */
export function wording(expected: string, charactersMax: number): z.ZodString {
  return z
    .string()
    .trim()
    .min(1, expected)
    .max(charactersMax, `expected 1 to ${charactersMax} characters`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'expected printable characters');
}

/** A rain's title, shown to players. */
export const rainTitle = wording('expected a title', 200);
const reasonText = wording('expected 1 to 500 characters', 500);

/** The operator's reason, in their own words, for the record. */
export function readReason(why: string): { ok: true; reason: string } | Refused {
  const parsed = reasonText.safeParse(why);
  return parsed.success
    ? { ok: true, reason: parsed.data }
    : { ok: false, refusals: [firstRefusal(parsed.error, 'reason')] };
}
