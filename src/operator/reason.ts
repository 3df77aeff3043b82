import { z } from 'zod';
import { firstRefusal } from '../rain/refusal.ts';
import type { Refused } from './desk.ts';

const reasonText = z.string().trim().min(1, 'expected a reason').max(500, 'expected at most 500 characters')
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'expected printable characters');

/** Why the operator gives something up, in his words, for the record. */
export function readReason(why: string): { ok: true; reason: string } | Refused {
  const parsed = reasonText.safeParse(why);
  return parsed.success ? { ok: true, reason: parsed.data } : { ok: false, refusals: [firstRefusal(parsed.error, 'reason')] };
}
