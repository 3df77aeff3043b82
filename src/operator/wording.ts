import { z } from 'zod';
import { firstRefusal } from '../rain/refusal.ts';
import type { Refused } from './context.ts';

/** What an operator writes and others read. @param expected what he is told who writes nothing */
export function wording(expected: string, charactersMax: number): z.ZodString {
  return z.string().trim().min(1, expected).max(charactersMax, `expected 1 to ${charactersMax} characters`)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'expected printable characters');
}

/** What players read. */
export const rainTitle = wording('expected a title', 200);
const reasonText = wording('expected 1 to 500 characters', 500);

/** Why the operator does it, in his words, for the record. */
export function readReason(why: string): { ok: true; reason: string } | Refused {
  const parsed = reasonText.safeParse(why);
  return parsed.success ? { ok: true, reason: parsed.data } : { ok: false, refusals: [firstRefusal(parsed.error, 'reason')] };
}
