/**
 * Parses text that somebody has signed. An object that names a key twice is nothing: JSON.parse takes the last one, the
 * signer may have meant the first. Never throws.
 * @returns `undefined`: it is not JSON, or a key occurs twice
 */
export function readSignedJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  // In text that JSON.parse has read, a string before a colon is a key, and nothing else is.
  let written = 0;
  for (const [, colon] of text.matchAll(/"(?:[^"\\]|\\.)*"([\t\n\r ]*:)?/g)) if (colon !== undefined) written++;
  return written === countKeys(value) ? value : undefined;
}

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const nested = Object.values(value).reduce<number>((sum, one) => sum + countKeys(one), 0);
  return nested + (Array.isArray(value) ? 0 : Object.keys(value).length);
}
