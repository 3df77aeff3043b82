/** Limits of connections, sockets and their shutdown [R10], with units last in the name, each with what it protects. */
export const SOCKET_LIMITS = {
  /** One client frame; a grab is about 80 bytes. Protects memory and the JSON parser. */
  messageBytesMax: 4_096,
  /** Fragments per message; clients send one. Protects the parser. */
  fragmentsMax: 64,
  /** Request head at the upgrade; a JWT is about 1 KB. Protects the HTTP parser. */
  headerBytesMax: 16_384,
  /**
   * Headers at the upgrade; browsers and proxies send about 20. Protects against headers hidden after where Node stops
   * reading.
   */
  headersMax: 100,
  /** Unsent bytes of one socket; beyond it the reader is too slow and is closed. Protects memory. */
  sendBufferBytesMax: 262_144,
  /** Open sockets per process; the process may have 20,000 open files. Protects the process. */
  socketsMax: 18_000,
  /** Sockets of one user on one gateway. Protects other users from a script. */
  socketsPerUserMax: 64,
  /**
   * Sockets of one address on one gateway; an office of 5,000 fits. Protects other addresses: half of all places remain
   * for them.
   */
  socketsPerAddressMax: 9_000,
  /** Invalid messages before the socket is closed. Protects the log and the parser. */
  errorsPerSocketMax: 20,
  /** From TCP connect to a complete upgrade request. Protects against slowloris. */
  handshakeMs: 10_000,
  /**
   * From our close, or a refused upgrade, until we cut the connection. Protects open files from peers that do not hang
   * up.
   */
  hangUpMs: 2_000,
  /**
   * Retry delay when there is no room: this long plus a random time up to as long again. Protects against simultaneous
   * retries.
   */
  retryMs: 2_000,
  /** Time between pings, and time allowed for a pong. Protects against half-open sockets. */
  heartbeatMs: 25_000,
  pongMs: 8_000,
  /**
   * From the start of a shutdown until the last socket is cut, pending answers included. Protects operators from an
   * endless shutdown.
   */
  closeMs: 5_000,
  /**
   * How many clients of a closing gateway are asked to reconnect per second. Protects the gateways that receive them.
   */
  reconnectsPerSecond: 1_000,
  /** Minimum delay of a reconnect: about as long as a restart takes. Protects clients from useless attempts. */
  reconnectMsMin: 500,
  /** The reconnects are spread over a time between these. The maximum protects players from missing the rain. */
  reconnectWindowMsMin: 1_000,
  reconnectWindowMsMax: 30_000,
} as const;

/** TCP connections that wait to be accepted. Protects the crowd of an opening from refused connections. */
export const LISTEN_BACKLOG = 4_096;
/** Connections without an upgrade that may be open in addition to the limits of sockets: in total, and per address. */
export const EXTRA_CONNECTIONS = 1_000;
export const EXTRA_CONNECTIONS_PER_ADDRESS = 100;
/**
 * How often unfinished requests are looked at, and how often sockets are looked at for pings and expired tokens, ms.
 */
export const REQUEST_CHECK_MS = 1_000;
export const PING_CHECK_MS = 1_000;
/** During a broadcast pings are skipped at most this many times in a row. */
export const SKIPPED_PINGS_MAX = 5;
/**
 * Sockets closed per turn of the event loop at a shutdown: about 10 ms, so that pongs and closes are read in between.
 */
export const DRAIN_SLICE = 250;
/**
 * Proxies that are read from X-Forwarded-For at most: no deployment has more, and clients can write the header [R10].
 */
export const PROXY_HOPS_MAX = 32;
/** Retry delay of a gateway that is closing or cannot reach Redis, ms. */
export const UNAVAILABLE_RETRY_MS = 1_000;
/** Rains and sales whose refusal frames are kept, by code [R10]. */
export const REFUSAL_FRAMES_MAX = 1_000;
