/** Limits of the opening of a rain [R10]. */
export const RAIN_LIMITS = {
  /**
   * Grabs of so long after the opening are decided in random order; 0: in order of arrival. Protects high-latency
   * users.
   */
  fairStartMs: 100,
} as const;

/** From this long before an opening the fair start checks grabs, ms. A process that is busy for longer is late. */
export const NEAR_MS = 1_000;
/** The drawing is spread over this share of `fairStartMs`. */
export const DRAWING_SHARE = 0.5;
export const DRAW_EVERY_MS = 2;
/** How finely the offset of a gateway's draws is chosen. */
export const DRAWING_PHASES = 1_024;
/** Longest timer, ms: far above it a timer would fire at once. */
export const TIMER_MS_MAX = 3_600_000;

/** How often Redis is polled for rains, blocks and kill switches, ms: the maximum delay after a lost event. */
export const POLL_MS = 1_000;
/**
 * How often all rains are read although nothing says that one has changed, ms: who changed one may have died before it
 * was announced.
 */
export const READ_WHOLE_MS = 10_000;
/** So long before its opening and after its end a rain is read at each poll, ms. */
export const READ_AROUND_MS = 60_000;
/** Snapshots older than this must not be used for answers: Redis may have been replaced meanwhile, ms. */
export const SNAPSHOT_AGE_MS_MAX = 3_000;
/**
 * The most rains, and sales, that `welcome` lists: a handshake of 300 bytes must not cost us many times as much.
 */
export const WELCOME_LISTED_MAX = 10;
export const WELCOME_BYTES_MAX = 4_096;
/** Maximum drift of two running clocks, ms per ms, including a clock that is being corrected slowly. */
export const CLOCK_DRIFT = 0.0005;

/** This close to the opening the estimated clock decides no local answer, ms. */
export const OPENING_MARGIN_MS = 100;
/** Pause after the winners of a rain were read for local answers, ms. */
export const WINNERS_REST_MS = 500;
/** Pause after any winners were read, as a multiple of the time it took: reading them takes Redis's time. */
export const WINNERS_REST_SHARE = 9;
export const WINNERS_REST_MS_MAX = 5_000;

/**
 * Wins of which this gateway asks whether they are credited, since another one may be told; see uncredited.ts. Protects
 * memory.
 */
export const UNCREDITED_MAX = 20_000;
/** First and longest pause between two questions about the same win, ms. */
export const UNCREDITED_ASK_MS = 1_000;
export const UNCREDITED_ASK_MS_MAX = 30_000;
/** Wins per question: well under a millisecond of Redis's time. */
export const UNCREDITED_AT_ONCE = 250;
