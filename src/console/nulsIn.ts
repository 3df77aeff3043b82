import type { Refusal } from '../rain/refusal.ts';

/**
 * Refuses NUL by field, wherever somebody can type: no text of PostgreSQL holds it, and no name or search has a use for
 * it.
 * @param whole the name used when the value itself is the text
 */
export function nulsIn(value: unknown, whole: string, path: readonly string[] = []): Refusal[] {
  const field = path.join('.') || whole;
  if (typeof value === 'string') return value.includes('\0') ? [{ field, reason: 'expected no NUL' }] : [];
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return [];
  return Object.entries(value).flatMap(([key, nested]) =>
    key.includes('\0') ? [{ field, reason: 'expected no NUL in its names' }] : nulsIn(nested, whole, [...path, key]),
  );
}
