import type { z } from 'zod';

/** Why a value is refused: the field, and the reason in plain words with figures [R12]. */
export interface Refusal {
  /** Path of the field, e.g. `budget` or `split.tiers.0.amount`. */
  field: string;
  reason: string;
}

/**
 * The refusals of a schema, in its order.
 * @param whole the name used when the value itself is wrong, not one of its fields
 */
export function refusalsOf({ issues }: z.ZodError, whole: string): Refusal[] {
  return issues.map(({ path, message }) => ({ field: path.join('.') || whole, reason: message }));
}

/** The first refusal, for requests with a single value. */
export function firstRefusal(error: z.ZodError, whole: string): Refusal {
  return refusalsOf(error, whole)[0]!;
}

export function formatRefusal({ field, reason }: Refusal): string {
  return `${field}: ${reason}`;
}
