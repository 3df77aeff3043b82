/** All limits of the gateway [R10], with units last in the name, each with what it protects. Tests override some. */
export const LIMITS = {
  /** One client frame; a grab is about 80 bytes. Protects memory and the JSON parser. */
  messageBytesMax: 4_096,
  /** Request head at the upgrade; a JWT is about 1 KB. Protects the HTTP parser. */
  headerBytesMax: 16_384,
  /** Unsent bytes of one socket; beyond it the reader is too slow and is closed. Protects memory. */
  sendBufferBytesMax: 262_144,
  /**
   * Headers at the upgrade; browsers and proxies send about 20. Protects against headers hidden after the point where Node stops
   * reading.
   */
  headersMax: 100,
  /** Fragments per message; clients send one. Protects the parser. */
  fragmentsMax: 64,
  /** Open sockets per process; the process may have 20,000 open files. Protects the process. */
  socketsMax: 18_000,
  /** Sockets of one user on one gateway. Protects other users from a script. */
  socketsPerUserMax: 64,
  /** Sockets of one address on one gateway; an office of 5,000 fits. Protects other addresses: half of all places remain for them. */
  socketsPerAddressMax: 9_000,
  /** Handshakes per second (token bucket of one second's size); each costs about 0.3 ms. Protects the open sockets. */
  handshakesPerSecondMax: 2_000,
  /** The same per address. Protects the handshakes of other addresses. */
  handshakesPerAddressPerSecondMax: 1_500,
  /**
   * Grabs waiting or in flight: the maximum however fast Redis is, and the number that may always wait. Protects memory when Redis
   * stalls.
   */
  grabsPendingMax: 50_000,
  grabsPendingMin: 64,
  /**
   * How long a grab may wait for Redis. Between the two limits above, as many may wait as Redis decides in this time. Protects the
   * answer time.
   */
  grabWaitMs: 400,
  /**
   * Assumed decisions of Redis per second until it has been busy enough to be measured. Protects the first moments of a rain from
   * refusals.
   */
  grabsPerSecond: 20_000,
  /**
   * Retry delay after "busy": usually the first, up to the second when many more grabs are refused than decided. Protects against
   * too many retries.
   */
  busyRetryMsMin: 200,
  busyRetryMsMax: 1_000,
  /**
   * When one turn of the event loop takes longer than this, and has read at least this many messages, the rest of its grabs is
   * answered "busy". Protects the answer time.
   */
  turnMsMax: 2_000,
  turnMessagesMin: 128,
  /**
   * Above these values the winners' ticker, joins and new sockets are switched off, in this order: delay of the event loop, and
   * round trip to Redis. Protects the grabs.
   */
  tickerLoopDelayMs: 150,
  tickerRoundTripMs: 250,
  joinsLoopDelayMs: 400,
  joinsRoundTripMs: 750,
  socketsLoopDelayMs: 800,
  socketsRoundTripMs: 1_500,
  /**
   * How long a value must stay above its threshold before the function is switched off, and how long below half of it before it is
   * on again. Protects against reactions to short peaks.
   */
  strainMs: 500,
  overloadMs: 1_000,
  /** After this long without an answer from Redis, grabs are answered "busy" at once. Protects players from useless waiting. */
  grabsSilentMs: 3_000,
  /**
   * Grabs are gathered for this long after the opening of a rain and then decided in random order; 0: in order of arrival.
   * Protects high-latency users.
   */
  fairStartMs: 100,
  /** Messages of one user per second on all sockets together (token bucket); fast tapping makes 15. Protects the event loop. */
  messagesPerSecondMax: 100,
  /** The same per address; 5,000 tapping players in an office make 75,000. Set it lower to protect other players from a bot farm. */
  messagesPerAddressPerSecondMax: 100_000,
  /** Token buckets of disconnected users, and of disconnected addresses, that are kept. Protects memory. */
  bucketsRememberedMax: 20_000,
  /**
   * Refused messages within the window before the sender is closed and banned; tapping never reaches it. Protects the event loop
   * from clients that ignore refusals.
   */
  offencesMax: 200,
  violationWindowMs: 10_000,
  /** Duration of a ban, and roughly how many bans are kept at a time. */
  bannedMs: 60_000,
  bannedMax: 10_000,
  /**
   * An address is banned when at least this many of its users are banned, and more than still play there. Protects an office from
   * a few cheaters in it.
   */
  bansPerAddressMin: 20,
  /** Rains that one socket may watch. Protects the lists of viewers. */
  joinsPerSocketMax: 32,
  /** From the end of a rain until its tickets expire. Protects late grabs from small clock errors. */
  ticketSlackMs: 60_000,
  /** How long a challenge is valid. Protects against stockpiled solutions; a slow phone needs seconds. */
  challengeMs: 120_000,
  /** Challenges created per second (token bucket); each costs about 1 ms, most of it outside the event loop. Protects the players. */
  challengesPerSecondMax: 500,
  /** Invalid messages before the socket is closed. Protects the log and the parser. */
  errorsPerSocketMax: 20,
  /**
   * From a block until the socket is closed: pending answers still arrive, and new grabs are answered "blocked". Lets the user see
   * the reason.
   */
  blockedMs: 300,
  /**
   * From our close, or from the answer to a refused upgrade, until we cut the connection. Protects open files from peers that do
   * not hang up.
   */
  hangUpMs: 2_000,
  /**
   * Retry delay after a refusal for lack of room: this long plus a random time up to as long again. Protects against simultaneous
   * retries.
   */
  retryMs: 2_000,
  /** From TCP connect to a complete upgrade request. Protects against slowloris. */
  handshakeMs: 10_000,
  /** Time between pings, and time allowed for a pong. Protects against half-open sockets. */
  heartbeatMs: 25_000,
  pongMs: 8_000,
  /**
   * From the start of a gateway's shutdown until the last socket is cut, pending answers included. Protects the operator from an
   * endless shutdown.
   */
  closeMs: 5_000,
  /** How many clients of a closing gateway are asked to reconnect per second. Protects the gateways that receive them. */
  reconnectsPerSecond: 1_000,
  /** Minimum delay of a reconnect: about as long as a restart takes. Protects clients from useless attempts. */
  reconnectMsMin: 500,
  /**
   * The reconnects are spread over at least the first and at most the second of these times. The maximum protects players from
   * missing the rain.
   */
  reconnectWindowMsMin: 1_000,
  reconnectWindowMsMax: 30_000,
} as const;
export type Limits = { [K in keyof typeof LIMITS]: number };
