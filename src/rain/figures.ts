/** How a number and a moment are told, by every command, page and refusal. */

export function figure(count: number): string {
  return count.toLocaleString('en-US');
}

/** @param at epoch ms */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
