import type { RandomSource } from '../../rain/fairness.ts';

/** Messages that a cheater sends in between: none of them may win or cause damage. */
const FORGERIES: ((rainId: string, random: RandomSource) => string | Buffer)[] = [
  (rainId) => JSON.stringify({ type: 'grab', rainId, userId: 'bot-0' }),
  (rainId) => JSON.stringify({ type: 'grab', rainId, amount: '9999.99', redPacketId: `${rainId}.0` }),
  (rainId) => JSON.stringify({ type: 'result', rainId, code: '0', redPacketId: `${rainId}.0`, amount: '9999.99' }),
  (rainId) => JSON.stringify({ type: 'grab', rainId: `${rainId}:claimed` }),
  (rainId) => JSON.stringify({ type: 'grab', rainId: { $ne: rainId } }),
  (rainId) => `{"type":"grab","rainId":"${rainId}"`,
  () => '\u0000'.repeat(64),
  () => '[]',
  (_rainId, random) => Buffer.from(Array.from({ length: 32 }, () => random.belowNumber(256))),
];
/** Percentage of forged frames; the others are grabs at a too high rate. */
const FORGED_PERCENT = 2;

export function forge(rainId: string, random: RandomSource): string | Buffer {
  if (random.belowNumber(100) >= FORGED_PERCENT)
    return JSON.stringify({ type: 'grab', rainId, ref: String(random.belowNumber(1_000_000)) });
  return FORGERIES[random.belowNumber(FORGERIES.length)]!(rainId, random);
}

/** The tickets that a cheater knows: its own, if it got one without a challenge, and that of another user. */
export interface Loot {
  own: string | undefined;
  overheard: string | undefined;
}

/**
 * Ways around the ticket; the name is the ref of the grab. The last one may win, but only as often as any user with a
 * ticket.
 */
const TRICKS: Record<string, (loot: Loot, random: RandomSource) => { ticket?: string }[]> = {
  'no ticket': () => [{}],
  'forged ticket': ({ own, overheard }, random) => [{ ticket: forgedTicket(own ?? overheard, random) }],
  "another's ticket": ({ overheard, own }) =>
    overheard === undefined || overheard === own ? [] : [{ ticket: overheard }],
  'own ticket twice': ({ own }) => (own === undefined ? [] : [{ ticket: own }, { ticket: own }]),
};
export const TRICK_NAMES: readonly string[] = Object.keys(TRICKS);

/** The frames of a random trick; empty when the cheater lacks the ticket for it. */
export function trick(rainId: string, loot: Loot, random: RandomSource): string[] {
  const name = TRICK_NAMES[random.belowNumber(TRICK_NAMES.length)]!;
  return TRICKS[name]!(loot, random).map((shown) => JSON.stringify({ type: 'grab', rainId, ref: name, ...shown }));
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A ticket with one changed character, or a random text in the form of a ticket. */
function forgedTicket(ticket: string | undefined, random: RandomSource): string {
  const letter = () => LETTERS[random.belowNumber(LETTERS.length)]!;
  if (ticket === undefined) return Array.from({ length: 64 }, letter).join('');
  const at = random.belowNumber(ticket.length);
  const other = LETTERS[(LETTERS.indexOf(ticket[at]!) + 1 + random.belowNumber(LETTERS.length - 1)) % LETTERS.length]!;
  return ticket.slice(0, at) + other + ticket.slice(at + 1);
}
