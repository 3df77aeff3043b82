/** Limits of tickets and challenges [R10]. */
export const CHALLENGE_LIMITS = {
  /** From the end of a rain until its tickets expire. Protects late grabs from small clock errors. */
  ticketSlackMs: 60_000,
  /**
   * How long before the opening the first tickets and challenges are issued. Protects against work that is done hours
   * ahead.
   */
  ticketLeadMs: 120_000,
  /** How long a challenge is valid. Protects against stockpiled solutions; a slow phone needs seconds. */
  challengeMs: 120_000,
  /**
   * Challenges created per second (token bucket); each costs about 1 ms, most of it outside the event loop. Protects
   * the players.
   */
  challengesPerSecondMax: 500,
  /**
   * Challenges that are kept to be handed out again: all that can be created in a minute. About 1 KB each. Protects
   * memory.
   */
  challengesRememberedMax: 30_000,
} as const;

/**
 * The part of the challenges per second that one address has while others might need theirs. Protects these from a bot
 * farm.
 */
export const ADDRESS_SHARE = 0.5;
