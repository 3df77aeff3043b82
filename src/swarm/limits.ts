/** What a wave may be asked for; a page of its own, so that a command can tell it without loading the storm. */

/** A process may hold about 20,000 sockets where this was measured; more users take several processes [R10]. */
export const USERS_MAX = 50_000;
export const REACTION_MS_MAX = 600_000;
