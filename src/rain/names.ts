/** How users are shown to other users: by name, masked so that only the user recognizes the name, or not at all. */
export type WinnerNames = 'masked' | 'full' | 'none';

/** Ids of guests begin so. */
export const GUEST_PREFIX = 'guest-';
export const NICKNAME_CHARACTERS_MAX = 20;
const HIDDEN = '•••';
/** `guest-Anna-3fRxKk29sPqZ`: a guest who has given a name, and the part of the id that nobody else has. */
const NAMED_GUEST = /^guest-(.+)-[\w-]{12}$/su;

/** @param random 12 characters of base64url */
export function guestId(random: string, nickname?: string): string {
  return GUEST_PREFIX + (nickname === undefined ? random : `${nickname}-${random}`);
}

/**
 * A guest's name as typed, without what would spoil a line: characters that cannot be seen, and more than one space.
 * @returns `undefined` if nothing is left that can be read, or more than NICKNAME_CHARACTERS_MAX characters
 */
export function nicknameIn(typed: string): string | undefined {
  const name = typed.normalize('NFC').replaceAll(/\s/gu, ' ').replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '').replaceAll(/ +/g, ' ').trim();
  return /[\p{L}\p{N}\p{S}]/u.test(name) && [...name].length <= NICKNAME_CHARACTERS_MAX ? name : undefined;
}

/** A user's name as the user knows it: a guest's nickname, or the id. */
export function ownName(userId: string): string {
  return NAMED_GUEST.exec(userId)?.[1] ?? userId;
}

/** The name as other users see it. Masked, `alice-1234` is `a•••4`: that somebody has won can be seen, but not who. */
export function shownName(userId: string, names: WinnerNames = 'masked'): string {
  if (names === 'none') return HIDDEN;
  const name = ownName(userId);
  if (names === 'full') return name;
  const letters = [...name];
  return letters.length < 3 ? HIDDEN : `${letters[0]}${HIDDEN}${letters.at(-1)}`;
}
