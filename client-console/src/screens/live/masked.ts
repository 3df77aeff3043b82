/** `bot-142` → `b•••2`: he knows himself, and nobody else does. */
export function masked(userId: string): string {
  const signs = [...userId];
  return signs.length < 3 ? '•••' : `${signs[0]}•••${signs.at(-1)}`;
}
