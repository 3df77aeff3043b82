import { isParticipant, nicknameOf, ownName, shownName, type WinnerNames } from '../../rain/names.ts';
import type { BlockedGuests } from '../blockedGuests.ts';

/** Remembered: some of them may be blocked later [R10]. */
const REMEMBERED_MAX = 200;
/** More names are not legible on the screen of a hall. */
const SHOWN_MAX = 24;

/** The people with names who have come in by this console, for the screen of the hall. */
export function createArrivals() {
  const users = new Set<string>();
  return {
    add(userId: string): void {
      if (nicknameOf(userId) === undefined && !isParticipant(userId)) return;
      users.add(userId);
      if (users.size > REMEMBERED_MAX) users.delete(users.values().next().value!);
    },
    /** Their names, the last one first, as those of winners are shown; of blocked people none. */
    names(names: WinnerNames, blocked: BlockedGuests): string[] {
      if (names === 'none') return [];
      return [...users]
        .reverse()
        .filter((userId) => !blocked.holds(userId) && !blocked.hasName(ownName(userId)))
        .slice(0, SHOWN_MAX)
        .map((userId) => shownName(userId, names));
    },
  };
}
