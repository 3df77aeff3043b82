/** `alice-1234` → `a•••4`: other users see that somebody won, but not who. */
export function mask(userId: string): string {
  const letters = [...userId];
  return letters.length < 3 ? '•••' : `${letters[0]}•••${letters.at(-1)}`;
}
