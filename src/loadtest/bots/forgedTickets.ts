import type { RandomSource } from '../../rain/fairness.ts';

/** The tickets that a cheater knows. */
export interface Loot {
  /** The cheater's own ticket, if it got one without a challenge. */
  own: string | undefined;
  /** The ticket of another user. */
  overheard: string | undefined;
}

type Trick = (loot: Loot, random: RandomSource) => { ticket?: string }[];

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Ways around the ticket; the name is the ref of the grab. The last one may win, but only as often as any user with a ticket. */
const TRICKS: Record<string, Trick> = {
  'no ticket': () => [{}],
  'forged ticket': ({ own, overheard }, random) => [{ ticket: forged(own ?? overheard, random) }],
  "another's ticket": ({ overheard, own }) => (overheard === undefined || overheard === own ? [] : [{ ticket: overheard }]),
  'own ticket twice': ({ own }) => (own === undefined ? [] : [{ ticket: own }, { ticket: own }]),
};
export const TRICK_NAMES: readonly string[] = Object.keys(TRICKS);

/** The frames of a random trick; empty when the cheater lacks the ticket for it. */
export function trick(rainId: string, loot: Loot, random: RandomSource): string[] {
  const name = TRICK_NAMES[random.belowNumber(TRICK_NAMES.length)]!;
  return TRICKS[name]!(loot, random).map((shown) => JSON.stringify({ type: 'grab', rainId, ref: name, ...shown }));
}

/** A ticket with one changed character, or a random text in the form of a ticket. */
function forged(ticket: string | undefined, random: RandomSource): string {
  const letter = () => LETTERS[random.belowNumber(LETTERS.length)]!;
  if (ticket === undefined) return Array.from({ length: 64 }, letter).join('');
  const at = random.belowNumber(ticket.length);
  const other = LETTERS[(LETTERS.indexOf(ticket[at]!) + 1 + random.belowNumber(LETTERS.length - 1)) % LETTERS.length]!;
  return ticket.slice(0, at) + other + ticket.slice(at + 1);
}
