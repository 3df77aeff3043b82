/** Parses external text for a schema to check; `undefined`: it is not JSON. Never throws. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * One text for one value: keys sorted, no spaces, absent fields left out. For plain names, texts and whole numbers: RFC
 * 8785.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, nested: unknown) => {
    if (typeof nested !== 'object' || nested === null || Array.isArray(nested)) return nested;
    return Object.fromEntries(Object.entries(nested).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
