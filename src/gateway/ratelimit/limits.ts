/** Limits of handshakes, messages, bans and blocks [R10]. */
export const RATE_LIMITS = {
  /** Handshakes per second (token bucket of one second's size); each costs 0.1 to 0.2 ms. Protects the open sockets. */
  handshakesPerSecondMax: 2_000,
  /** The same per address. Protects the handshakes of other addresses. */
  handshakesPerAddressPerSecondMax: 1_500,
  /**
   * Messages of one user per second on all sockets together (token bucket); fast tapping makes 15. Protects the event
   * loop.
   */
  messagesPerSecondMax: 100,
  /**
   * The same per address; 5,000 tapping players in an office make 75,000. Set it lower to protect other players from a
   * bot farm.
   */
  messagesPerAddressPerSecondMax: 100_000,
  /**
   * Token buckets of disconnected users, and of disconnected addresses, that are kept, and users over HTTP. Protects
   * memory.
   */
  bucketsRememberedMax: 20_000,
  /**
   * Refused messages within the window before the sender is banned. Protects the event loop from clients that ignore
   * refusals.
   */
  offencesMax: 200,
  violationWindowMs: 10_000,
  /**
   * Duration of a ban, and for as long a user over HTTP counts as being at his address; roughly how many bans are kept
   * at a time.
   */
  bannedMs: 60_000,
  bannedMax: 10_000,
  /**
   * An address is banned with at least this many banned users, and more than others are there. Protects an office with
   * a few cheaters.
   */
  bansPerAddressMin: 20,
  /**
   * From a block until the socket is closed: pending answers still arrive, new grabs get "blocked". Lets the user see
   * the reason.
   */
  blockedMs: 300,
} as const;

/** Expired blocks that one poll removes. */
export const EXPIRED_BLOCKS_CLEARED_MAX = 100;
