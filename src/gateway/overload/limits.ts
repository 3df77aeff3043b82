/** Limits of waiting grabs, and thresholds from which functions are switched off [R10]. */
export const OVERLOAD_LIMITS = {
  /**
   * Grabs waiting or in flight: the maximum however fast Redis is, and how many may always wait. Protects memory when
   * Redis stalls.
   */
  grabsPendingMax: 50_000,
  grabsPendingMin: 64,
  /**
   * How long a small batch of grabs waits for the answer of the call before it, at most. Protects Redis from many small
   * calls, and grabs from a call that hangs.
   */
  grabBehindMsMax: 50,
  /** How long a grab may wait for Redis; as many may wait as Redis decides in this time. Protects the answer time. */
  grabWaitMs: 400,
  /**
   * Assumed decisions of Redis per second until it was busy enough to be measured. Protects the first moments of a rain
   * from refusals.
   */
  grabsPerSecond: 20_000,
  /**
   * Retry delay after "busy"; up to the second when many more grabs are refused than decided. Protects against too many
   * retries.
   */
  busyRetryMsMin: 200,
  busyRetryMsMax: 1_000,
  /**
   * A longer turn of the event loop, with at least so many messages read, answers the rest "busy". Protects the answer
   * time.
   */
  turnMsMax: 2_000,
  turnMessagesMin: 128,
  /**
   * Above these delays of the event loop or round trips to Redis, the ticker, joins, and new sockets are switched off.
   * Protects grabs.
   */
  tickerLoopDelayMs: 150,
  tickerRoundTripMs: 250,
  joinsLoopDelayMs: 400,
  joinsRoundTripMs: 750,
  socketsLoopDelayMs: 800,
  socketsRoundTripMs: 1_500,
  /**
   * So long above the threshold switches off; so long below half of it switches on again. Protects against reactions to
   * short peaks.
   */
  strainMs: 500,
  overloadMs: 1_000,
  /**
   * After this long without an answer from Redis, grabs are answered "busy" at once. Protects players from useless
   * waiting.
   */
  grabsSilentMs: 3_000,
} as const;

/** How often the load is sampled, ms. Redis is pinged with every fourth sample: each ping wakes Redis up. */
export const SAMPLE_MS = 50;
export const SAMPLES_PER_PING = 4;
/** Longest silence of Redis counted per sample, ms. A longer gap between samples is a delay of our own event loop. */
export const SILENT_MS_PER_SAMPLE_MAX = 100;
/** Number of samples over which the rate of Redis is measured. */
export const RATE_SAMPLES = 6;
/** Growth of the rate per sample while no grab has to wait: a hundredfold in a second. */
export const RATE_GROWTH = 1.26;
/** A grab that waits longer than this share of `grabWaitMs`, plus the round trip, is queued behind others. */
export const QUEUED_WAIT_SHARE = 1 / 4;
/**
 * A grab is sent at the end of one turn and its answer may be read at the end of the next: Redis is not blamed for so
 * many turns.
 */
export const OWN_TURNS = 2;
/** Up to this, ms, the round trip of a slow network is added to `grabWaitMs`. */
export const ROUND_TRIP_MS_MAX = 300;
/** Each retry delay is random, between half of the base value and one and a half times. */
export const RETRY_JITTER = { least: 0.5, most: 1.5 };
