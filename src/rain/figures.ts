/** The format of numbers and times in all commands, pages and refusals. */

export function figure(count: number): string {
  return count.toLocaleString('en-US');
}

/** @param at epoch ms */
export function iso(at: number): string {
  return new Date(at).toISOString();
}
