/** A text from outside → what it says, for a schema to judge; `undefined`: it is not JSON. Never throws. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * One text for one value, whoever has stored it in between: keys sorted, no spaces, absent fields left out. For plain
 * names, texts and whole numbers this is RFC 8785.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, held: unknown) => {
    if (typeof held !== 'object' || held === null || Array.isArray(held)) return held;
    return Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
