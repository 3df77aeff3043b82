import { PACKET_EVERY_MS, packetsAt } from '../protocol/fall.ts';
import type { RandomSource } from '../rain/fairness.ts';

/** What a cheater has got hold of. */
export interface Loot {
  /** His own, if he was given one without work. */
  own: { ticket: string; seed: number | undefined } | undefined;
  /** Somebody else's. */
  overheard: string | undefined;
  opensAt: number;
  /** Epoch ms of the server. */
  now: number;
}

type Trick = (loot: Loot, random: RandomSource) => { ticket?: string; packet?: number }[];

/** Beyond anything that falls while he cheats. */
const FAR_AHEAD = 3_600_000 / PACKET_EVERY_MS;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Ways past the ticket, by the name that their answers come back under. The last may win, but only as much as a good tap. */
const TRICKS: Record<string, Trick> = {
  'no ticket': () => [{ packet: 0 }],
  'forged ticket': ({ own, overheard }, random) => [{ ticket: forged(own?.ticket ?? overheard, random), packet: 0 }],
  "another's ticket": ({ overheard, own }) => (overheard === undefined || overheard === own?.ticket ? [] : [{ ticket: overheard, packet: 0 }]),
  'packet not there': ({ own, opensAt, now }) => (own?.seed === undefined ? [] : [{ ticket: own.ticket, packet: Math.max(0, Math.round((now - opensAt) / PACKET_EVERY_MS)) + FAR_AHEAD }]),
  'same packet twice': ({ own, opensAt, now }) => {
    const seen = own?.seed === undefined ? undefined : packetsAt(own.seed, opensAt, now)[0];
    return own && seen ? [{ ticket: own.ticket, packet: seen.packet }, { ticket: own.ticket, packet: seen.packet }] : [];
  },
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
