/** Everything the door bounds [R10], units last in the name, each with whom it protects. Tests override some. */
export const LIMITS = {
  /** One client frame; a grab is about 80 bytes. Protects memory and the JSON parser. */
  messageBytesMax: 4_096,
  /** Request head at the upgrade; a JWT is about 1 KB. Protects the HTTP parser. */
  headerBytesMax: 16_384,
  /** Unsent bytes of one socket; beyond it the reader is too slow and is closed. Protects memory. */
  sendBufferBytesMax: 262_144,
  /** Headers at the upgrade; browsers and proxies send about 20. Protects from what is hidden behind so many that Node stops counting. */
  headersMax: 100,
  /** Pieces that one message may come in; clients send one. Protects the parser. */
  fragmentsMax: 64,
  /** Live sockets of one process, where it may have 20,000 open files. Protects the process. */
  socketsMax: 18_000,
  /** Sockets of one user on one gateway. Protects the others from a script. */
  socketsPerUserMax: 64,
  /** Sockets of one address on one gateway, an office of 5,000 among them. Protects the places of all others: half of them. */
  socketsPerAddressMax: 9_000,
  /** Handshakes in one second, so many at once and so many again each second; each costs about 0.3 ms. Protects those who are in. */
  handshakesPerSecondMax: 2_000,
  /** The same from one address. Protects everybody else's way in. */
  handshakesPerAddressPerSecondMax: 1_500,
  /** Grabs waiting or under way at most, however fast Redis is, and those that may always wait. Protects memory when Redis stalls. */
  grabsPendingMax: 50_000,
  grabsPendingMin: 64,
  /** How long a grab may wait for Redis: between those two, as many may wait as it decides in this time. Protects the answer time. */
  grabWaitMs: 400,
  /** What Redis is believed to decide in a second until it was busy enough to show it. Protects the first moments of a rain from refusals. */
  grabsPerSecond: 20_000,
  /** Who hears "busy" is asked back after about this, and at most that when many more are refused than decided. Protects from their coming back. */
  busyRetryMsMin: 200,
  busyRetryMsMax: 1_000,
  /** Reading all that has arrived takes so long, and so many messages at least: who asks in the rest of that turn is told "busy". Protects the answer time. */
  turnMsMax: 2_000,
  turnMessagesMin: 128,
  /** Above these the winners' ticker, joins and new sockets are given up, in this order: the event loop's delay, and Redis's. Protect the grabs. */
  tickerLoopDelayMs: 150,
  tickerRoundTripMs: 250,
  joinsLoopDelayMs: 400,
  joinsRoundTripMs: 750,
  socketsLoopDelayMs: 800,
  socketsRoundTripMs: 1_500,
  /** How long without a break, and how long below half of it until all is served again. Protects from giving up at every hiccup. */
  strainMs: 500,
  overloadMs: 1_000,
  /** Redis has said nothing for so long: grabs are told "busy" at once. Protects players from waiting for nobody. */
  grabsSilentMs: 3_000,
  /** From the opening of a rain on grabs are gathered for so long, and then decided in random order; 0: in the order in which they come. Protects who sits far away. */
  fairStartMs: 100,
  /** Messages of one user on all his sockets, so many at once and so many again each second; a hand makes 15. Protects the event loop. */
  messagesPerSecondMax: 100,
  /** The same of one address. 5,000 hands in an office make 75,000. Protects the others from a farm, where one sets it lower. */
  messagesPerAddressPerSecondMax: 100_000,
  /** Allowances of users, and of addresses, who have left that are remembered. Protects memory. */
  bucketsRememberedMax: 20_000,
  /** Messages refused within the window before their sender is closed; no hand gets there. Protects the event loop from who does not listen. */
  offencesMax: 200,
  violationWindowMs: 10_000,
  /** For how long his upgrades are refused then, and about how many are kept in mind at a time. */
  bannedMs: 60_000,
  bannedMax: 10_000,
  /** So many users of one address banned, and more than play there still: the address is. Protects an office from a few cheaters in it. */
  bansPerAddressMin: 20,
  /** Rains one socket may watch. Protects the audience lists. */
  joinsPerSocketMax: 32,
  /** From a rain's end until its tickets run out. Protects who asks at the last moment from a clock that is a little off. */
  ticketSlackMs: 60_000,
  /** From a challenge until its solution is due. Protects from stocks of solutions; a slow phone needs seconds. */
  challengeMs: 120_000,
  /** Challenges made in a second, so many at once and so many again each second; each costs about 1 ms, most of it off the event loop. Protects those who play. */
  challengesPerSecondMax: 500,
  /** Messages that could not be understood before the socket is closed. Protects the log and the parser. */
  errorsPerSocketMax: 20,
  /** From a block until his socket is closed: answers under way arrive, and his grabs are told why. Protects him from guessing. */
  blockedMs: 300,
  /** From our close until we cut, and from the answer to a refused upgrade. Protects open files from who does not hang up. */
  hangUpMs: 2_000,
  /** Who is refused for being one too many is asked back after this and up to as much again, each another time. Protects the door. */
  retryMs: 2_000,
  /** From TCP connect to a complete upgrade request. Protects against slowloris. */
  handshakeMs: 10_000,
  /** Pause between pings, and how long a pong may take. Protects against half-open sockets. */
  heartbeatMs: 25_000,
  pongMs: 8_000,
  /** From the close of a gateway until the last socket is cut, the answers under way included. Protects whoever waits for its end. */
  closeMs: 5_000,
  /** How many of those sent away by a close are asked back per second. Protects the gateway that they come to. */
  reconnectsPerSecond: 1_000,
  /** First moment of coming back: about as long as a restart takes. Protects the players from knocking in vain. */
  reconnectMsMin: 500,
  /** Over how long the reconnects are spread at least and at most. The longest protects the players from missing the rain. */
  reconnectWindowMsMin: 1_000,
  reconnectWindowMsMax: 30_000,
} as const;
export type Limits = { [K in keyof typeof LIMITS]: number };
