import type { RandomSource } from '../rain/fairness.ts';

/** What a cheater has got hold of. */
export interface Loot {
  /** His own, if he was given one without work. */
  own: string | undefined;
  /** Somebody else's. */
  overheard: string | undefined;
}

type Trick = (loot: Loot, random: RandomSource) => { ticket?: string }[];

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Ways past the ticket, by the name that their answers come back under. The last may win, but only as much as anybody with a ticket. */
const TRICKS: Record<string, Trick> = {
  'no ticket': () => [{}],
  'forged ticket': ({ own, overheard }, random) => [{ ticket: forged(own ?? overheard, random) }],
  "another's ticket": ({ overheard, own }) => (overheard === undefined || overheard === own ? [] : [{ ticket: overheard }]),
  'own ticket twice': ({ own }) => (own === undefined ? [] : [{ ticket: own }, { ticket: own }]),
};
export const TRICK_NAMES: readonly string[] = Object.keys(TRICKS);

/** Frames of one trick, drawn; none when he has not got what it needs. */
export function trick(rainId: string, loot: Loot, random: RandomSource): string[] {
  const name = TRICK_NAMES[random.belowNumber(TRICK_NAMES.length)]!;
  return TRICKS[name]!(loot, random).map((shown) => JSON.stringify({ type: 'grab', rainId, ref: name, ...shown }));
}

/** A ticket with one letter changed, or letters that look like one. */
function forged(ticket: string | undefined, random: RandomSource): string {
  const letter = () => LETTERS[random.belowNumber(LETTERS.length)]!;
  if (ticket === undefined) return Array.from({ length: 64 }, letter).join('');
  const at = random.belowNumber(ticket.length);
  const other = LETTERS[(LETTERS.indexOf(ticket[at]!) + 1 + random.belowNumber(LETTERS.length - 1)) % LETTERS.length]!;
  return ticket.slice(0, at) + other + ticket.slice(at + 1);
}
