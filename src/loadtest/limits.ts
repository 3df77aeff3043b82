/** What a wave may be asked for; a page of its own, so that a command can tell it without loading the storm. */

/** Of a whole wave, in however many processes [R10]. */
export const USERS_MAX = 1_000_000;
export const REACTION_MS_MAX = 600_000;
