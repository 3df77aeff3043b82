/** Limits of tickets and challenges [R10]. */
export const CHALLENGE_LIMITS = {
  /** From the end of a rain until its tickets expire. Protects late grabs from small clock errors. */
  ticketSlackMs: 60_000,
  /** How long a challenge is valid. Protects against stockpiled solutions; a slow phone needs seconds. */
  challengeMs: 120_000,
  /** Challenges created per second (token bucket); each costs about 1 ms, most of it outside the event loop. Protects the players. */
  challengesPerSecondMax: 500,
} as const;
