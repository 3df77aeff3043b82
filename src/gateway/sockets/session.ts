import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { CLOSES, type CloseCode } from '../../protocol/outcomes.ts';
import { frameOf, PING, type Frame } from './frame.ts';
import type { CallerBucket } from '../ratelimit/tokenBuckets.ts';
import type { Limits } from '../limits.ts';
import type { Buyer, OrderReply } from '../sales/buyer.ts';
import type { Identity } from './token.ts';

/** A grab that is not answered yet. */
export interface OpenGrab {
  readonly rainId: string;
  /**
   * The turn of the event loop in which it arrived, and the refs of further grabs for the same rain in that turn: one
   * decision for all.
   */
  readonly turn: number;
  also: (string | undefined)[] | undefined;
}

/** One live socket of one verified user. A plain object: there are tens of thousands. */
export interface Session extends Readonly<Identity>, Buyer {
  /** Unique in this process; for the log. */
  readonly connection: number;
  /** How many messages this user, and this address, may still send. */
  readonly user: CallerBucket;
  readonly address: CallerBucket;
  readonly socket: WebSocket;
  readonly stream: Duplex;
  /** Its watched ids: of rains, and names of sales. */
  readonly watched: Set<string>;
  /** When the last ping went out and whether it has been answered, ms of the monotonic clock. */
  pingedAt: number;
  alive: boolean;
  errors: number;
  /** Receipts shown so far. */
  receipts: number;
  /** The turn of the event loop in which the last message arrived. */
  lastTurn: number;
  /** The last grab, until it is answered. */
  openGrab: OpenGrab | undefined;
  /** Answers its purchases; `undefined` until the first one. */
  orderReply: OrderReply | undefined;
  /** Until when a user who was told "busy" should not ask again, ms of the monotonic clock. */
  busyUntil: number;
  /** The operator has blocked the user or the address; the socket is about to be closed. */
  blocked: boolean;
  /** The code with which we closed the socket. */
  closedWith: CloseCode | undefined;
}

type Caller = Pick<Session, 'user' | 'address' | 'socket' | 'stream'>;

let connections = 0;

/** Each field is named: copied by `...`, they take ten times as long. @param now ms of the monotonic clock */
export function createSession(
  { userId, expiresAt, audience }: Identity,
  { user, address, socket, stream }: Caller,
  now: number,
  heartbeatMs: number,
): Session {
  // The first ping goes out at a random point of the heartbeat period, so that sockets opened together are not pinged
  // together.
  const pingedAt = now - Math.floor(Math.random() * heartbeatMs);
  return {
    userId,
    expiresAt,
    audience,
    user,
    address,
    socket,
    stream,
    connection: ++connections,
    watched: new Set(),
    tickets: undefined,
    solving: false,
    pingedAt,
    alive: true,
    errors: 0,
    receipts: 0,
    lastTurn: -1,
    openGrab: undefined,
    openPurchase: undefined,
    orderReply: undefined,
    busyUntil: 0,
    blocked: false,
    closedWith: undefined,
  };
}

/**
 * Sends a message; nothing else writes messages to a socket. A closed socket drops it, and one that reads too slowly is
 * closed. Frames are written to the stream directly, since ws would frame each message once per socket. ws neither
 * compresses nor queues here, so its control frames keep their order with ours.
 */
export function send(session: Session, message: string | Frame, limits: Limits): void {
  const { socket, stream } = session;
  if (socket.readyState !== WebSocket.OPEN) return;
  if (stream.writableLength > limits.sendBufferBytesMax) return end(session, 4413);
  stream.write(typeof message === 'string' ? frameOf(message) : message);
}

/** Sends a protocol error; closes a socket that sends too many invalid messages. */
export function sendProtocolError(session: Session, message: string, limits: Limits): void {
  send(session, message, limits);
  if (++session.errors >= limits.errorsPerSocketMax) end(session, 4429);
}

/** Collects all writes until the end of the current tick into one system write. For a single message it is slower. */
export function gather({ stream }: Session): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(uncork, stream);
}

const uncork = (stream: Duplex): void => stream.uncork();

/** Answers a ping. A peer that pings and does not read is closed as too slow. */
export function pong(session: Session, data: Buffer, limits: Limits): void {
  const { socket, stream } = session;
  if (socket.readyState !== WebSocket.OPEN) return;
  if (stream.writableLength > limits.sendBufferBytesMax) return end(session, 4413);
  socket.pong(data);
}

/**
 * Closes the socket with a code. ws cuts a peer that does not answer the close; one that reads too slowly or does not
 * answer pings is cut at once and most likely sees 1006, with the code in our logs only.
 */
export function end(session: Session, code: CloseCode): void {
  session.closedWith ??= code;
  session.socket.close(code, CLOSES[code].reason);
  // An overloaded gateway may have left it unread; the peer's close frame has to be read.
  session.socket.resume();
  if (code === 4413 || code === 4408) session.socket.terminate();
}

/**
 * Sends a ping if it is due. Closes the session if the last ping was not answered or the token has expired. Called
 * about once a second.
 * @param now ms of the monotonic clock, so that a correction of the wall clock does not time out every pong
 * @param redisTime epoch ms
 * @param skipPings no ping this time: a broadcast has priority
 */
export function heartbeat(session: Session, now: number, redisTime: number, skipPings: boolean, limits: Limits): void {
  if (redisTime >= session.expiresAt) return end(session, 4401);
  // An unread socket may have answered already.
  if (!session.alive && !session.socket.isPaused && now - session.pingedAt >= limits.pongMs) return end(session, 4408);
  if (skipPings || now - session.pingedAt < limits.heartbeatMs) return;
  session.pingedAt = now;
  session.alive = false;
  if (session.socket.readyState === WebSocket.OPEN) session.stream.write(PING);
}
