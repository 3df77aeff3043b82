import type { z } from 'zod';

/** Why something cannot be taken: which field of it, and the reason in plain words with the figures [R12]. */
export interface Refusal {
  /** Path of the field, e.g. `budget` or `split.tiers.0.amount`. */
  field: string;
  reason: string;
}

/**
 * What a schema has found, in its order.
 * @param whole what the value is called where it is at fault itself, and no field of it
 */
export function refusalsOf({ issues }: z.ZodError, whole: string): Refusal[] {
  return issues.map(({ path, message }) => ({ field: path.join('.') || whole, reason: message }));
}

/** The first of them: who has to put one thing right is told one thing. */
export function firstRefusal(error: z.ZodError, whole: string): Refusal {
  return refusalsOf(error, whole)[0]!;
}

export function formatRefusal({ field, reason }: Refusal): string {
  return `${field}: ${reason}`;
}
