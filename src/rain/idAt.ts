/**
 * A new id: the time makes it sortable, the random part makes it unique.
 * @param now epoch ms; a fraction is cut off, since its point would end the id
 */
export function idAt(now: number, random: Uint8Array): string {
  return Math.floor(now).toString(36) + Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
