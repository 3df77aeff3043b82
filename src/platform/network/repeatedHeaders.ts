/** Node keeps the first of these; a proxy might read another one. */
const COUNTING_ONCE: ReadonlyMap<string, number> = new Map(
  ['host', 'authorization', 'content-type', 'origin'].map((name, i) => [name, 1 << i]),
);

/**
 * Whether a header that decides who asks, or what, comes twice.
 * @param rawHeaders names and values by turns, as Node has read them
 */
export function repeatsHeader(rawHeaders: readonly string[]): boolean {
  let seen = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const bit = COUNTING_ONCE.get(rawHeaders[i]!.toLowerCase()) ?? 0;
    if ((seen & bit) !== 0) return true;
    seen |= bit;
  }
  return false;
}
