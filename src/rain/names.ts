import { looksLikeStaff } from './lookAlike.ts';

/** How users are shown to other users: by name, masked so that only the user recognizes the name, or not at all. */
export type WinnerNames = 'masked' | 'full' | 'none';

/** Ids of guests begin so. */
export const GUEST_PREFIX = 'guest-';
export const NICKNAME_CHARACTERS_MAX = 20;
export const PARTICIPANT_NAME_CHARACTERS_MAX = 40;
const HIDDEN = '•••';
/** `guest-Anna-3fRxKk29sPqZ`: a guest who has given a name, and the part of the id that nobody else has. */
const NAMED_GUEST = /^guest-(.+)-[\w-]{12}$/su;

/** Ids of people on the list of participants begin so. */
const PARTICIPANT_PREFIX = 'participant-';
/** `participant-E1042/Anna Li`. */
const PARTICIPANT = /^participant-[^/]+\/(.+)$/su;

export function isParticipant(userId: string): boolean {
  return userId.startsWith(PARTICIPANT_PREFIX);
}

/** @param number on the list, which is nobody else's */
export function participantId(number: string, name: string): string {
  return `${PARTICIPANT_PREFIX}${number}/${name}`;
}

/** @param random 12 characters of base64url */
export function guestId(random: string, nickname?: string): string {
  return GUEST_PREFIX + (nickname === undefined ? random : `${nickname}-${random}`);
}

/** Symbols that are blank in every font, or stand for something that is missing. */
const BLANK = /[\u2800\uFFFC\uFFFD\u{1D159}]/gu;
/** More marks on one letter than any language writes reach into the lines above and below. */
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
/** Between names and amounts of winners, it would look like another winner. */
const AMOUNT = /\p{Sc}|\p{Nd}\s*[.,·٫]\s*\p{Nd}/u;

/**
 * A name as typed, without what would spoil a line: characters that cannot be seen, marks that are stacked, and more
 * than one space.
 * @returns `undefined` if nothing is left that can be read, or more characters than a name has at most
 */
export function nameIn(typed: string, charactersMax: number): string | undefined {
  const name = typed
    .normalize('NFC')
    .replace(/\s/gu, ' ')
    .replace(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replace(BLANK, '')
    .replace(STACKED_MARKS, '$1')
    .replace(/ +/g, ' ')
    .trim();
  return /[\p{L}\p{N}\p{S}]/u.test(name) && [...name].length <= charactersMax ? name : undefined;
}

export const NICKNAME_EXPECTED = `expected 1 to ${NICKNAME_CHARACTERS_MAX} characters with a letter, a digit or a symbol among them, no amount, and no word for the staff`;

/** A guest's: nobody has checked it, so it must not pass for the staff's, or for a line of the winners. */
export function nicknameIn(typed: string): string | undefined {
  const name = nameIn(typed.replace(/[🏆🏅🥇🥈🥉👑]/gu, ''), NICKNAME_CHARACTERS_MAX);
  // Full-width digits and points are amounts, too.
  return name === undefined || AMOUNT.test(name.normalize('NFKC')) || looksLikeStaff(name) ? undefined : name;
}

/** The name that a guest has given. */
export function nicknameOf(userId: string): string | undefined {
  return NAMED_GUEST.exec(userId)?.[1];
}

/** A user's name as the user knows it: a guest's nickname, a participant's name on the list, or the id. */
export function ownName(userId: string): string {
  return nicknameOf(userId) ?? PARTICIPANT.exec(userId)?.[1] ?? userId;
}

/** The name as other users see it. Masked, `alice-1234` is `a•••4`: that somebody has won can be seen, but not who. */
export function shownName(userId: string, names: WinnerNames = 'masked'): string {
  if (names === 'none') return HIDDEN;
  const name = ownName(userId);
  if (names === 'full') return name;
  const letters = [...name];
  return letters.length < 3 ? HIDDEN : `${letters[0]}${HIDDEN}${letters[letters.length - 1]}`;
}
