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
const PARTICIPANT = /^participant-[\w.-]+\/(.+)$/su;

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

/**
 * A name as typed, without what would spoil a line: characters that cannot be seen, and more than one space.
 * @returns `undefined` if nothing is left that can be read, or more characters than a name has at most
 */
export function nameIn(typed: string, charactersMax: number): string | undefined {
  const name = typed
    .normalize('NFC')
    .replaceAll(/\s/gu, ' ')
    .replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(/ +/g, ' ')
    .trim();
  return /[\p{L}\p{N}\p{S}]/u.test(name) && [...name].length <= charactersMax ? name : undefined;
}

/** A guest's. */
export function nicknameIn(typed: string): string | undefined {
  return nameIn(typed, NICKNAME_CHARACTERS_MAX);
}

/** A user's name as the user knows it: a guest's nickname, a participant's name on the list, or the id. */
export function ownName(userId: string): string {
  return (NAMED_GUEST.exec(userId) ?? PARTICIPANT.exec(userId))?.[1] ?? userId;
}

/** The name as other users see it. Masked, `alice-1234` is `a•••4`: that somebody has won can be seen, but not who. */
export function shownName(userId: string, names: WinnerNames = 'masked'): string {
  if (names === 'none') return HIDDEN;
  const name = ownName(userId);
  if (names === 'full') return name;
  const letters = [...name];
  return letters.length < 3 ? HIDDEN : `${letters[0]}${HIDDEN}${letters.at(-1)}`;
}
