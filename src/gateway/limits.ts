/** Everything the door bounds [R10], units last in the name, each with whom it protects. Tests override some. */
export const LIMITS = {
  /** One client frame; a grab is about 80 bytes. Protects memory and the JSON parser. */
  messageBytesMax: 4_096,
  /** Request head at the upgrade; a JWT is about 1 KB. Protects the HTTP parser. */
  headerBytesMax: 16_384,
  /** Unsent bytes of one socket; beyond it the reader is too slow and is closed. Protects memory. */
  sendBufferBytesMax: 262_144,
  /** Live sockets of one process, where it may have 20,000 open files. Protects the process. */
  socketsMax: 18_000,
  /** Sockets of one user on one gateway. Protects the others from a script. */
  socketsPerUserMax: 64,
  /** Grabs waiting or under way; about 1 s of work. Protects memory and the answer time when Redis stalls. */
  grabsPendingMax: 50_000,
  /** Messages of one socket in one second; a hand makes 15. Protects the event loop. */
  messagesPerSecondMax: 200,
  /** Rains one socket may watch. Protects the audience lists. */
  joinsPerSocketMax: 32,
  /** Messages that could not be understood before the socket is closed. Protects the log and the parser. */
  errorsPerSocketMax: 20,
  /** From TCP connect to a complete upgrade request. Protects against slowloris. */
  handshakeMs: 10_000,
  /** Pause between pings, and how long a pong may take. Protects against half-open sockets. */
  heartbeatMs: 25_000,
  pongMs: 8_000,
  /** From the close of a gateway until the last socket is cut, the answers under way included. Protects whoever waits for its end. */
  closeMs: 5_000,
  /** How many of those sent away by a close are asked back per second. Protects the gateway that they come to. */
  comebacksPerSecond: 1_000,
  /** First moment of coming back: about as long as a restart takes. Protects the players from knocking in vain. */
  comebackMsMin: 500,
  /** Over how long the comebacks are spread at least and at most. The longest protects the players from missing the rain. */
  comebackWindowMsMin: 1_000,
  comebackWindowMsMax: 30_000,
} as const;
export type Limits = { [K in keyof typeof LIMITS]: number };
