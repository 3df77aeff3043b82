/** Limits of a wave. A separate file, so that a command can show them without loading the load test. */

/** Users of a whole wave, over all processes [R10]. */
export const USERS_MAX = 1_000_000;
export const REACTION_MS_MAX = 600_000;
