import type { Duplex } from 'node:stream';
import { WebSocket } from 'ws';
import { CLOSES, type CloseCode } from '../../protocol/outcomes.ts';
import { frameOf, PING, type Frame } from './frame.ts';
import type { CallerBucket } from '../ratelimit/tokenBuckets.ts';
import type { AdmissionState } from '../challenge/admissionState.ts';
import type { Limits } from '../limits.ts';
import type { Identity } from './token.ts';

/** A grab that is not answered yet. */
export interface OpenGrab {
  readonly rainId: string;
  /** In which turn of the event loop it was asked, and the refs of what was asked about the same rain until its end: one decision answers all. */
  readonly loopBudget: number;
  also: (string | undefined)[] | undefined;
}

/** One live socket of one verified user. A plain object: there are tens of thousands. */
export interface Session {
  /** Tells it from all others of this process, for the log. */
  readonly connection: number;
  /** All that his token says of him. */
  readonly identity: Identity;
  readonly userId: string;
  /** What he may still send, and what may still come from where he is. */
  readonly user: CallerBucket;
  readonly address: CallerBucket;
  readonly socket: WebSocket;
  /** What the socket reads from and writes to. */
  readonly stream: Duplex;
  /** Epoch ms at which the token runs out, by Redis's clock. */
  readonly expiresAt: number;
  readonly rains: Set<string>;
  /** What he has been handed for rains, or has shown; none where no tickets are asked for. */
  admissions: Map<string, AdmissionState> | undefined;
  /** A solution of his is being looked at. */
  solving: boolean;
  /** When the last ping went out and whether it has been answered, ms of the monotonic clock. */
  pingedAt: number;
  alive: boolean;
  errors: number;
  /** The turn of the event loop in which he was last heard. */
  heardIn: number;
  /** His last grab, while it is not answered. */
  openGrab: OpenGrab | undefined;
  /** The operator has blocked him; his socket is about to be closed. */
  blocked: boolean;
  /** The code we closed him with. */
  closedWith: CloseCode | undefined;
}

interface Caller {
  identity: Identity;
  user: CallerBucket;
  address: CallerBucket;
}

let connections = 0;

/** @param now ms of the monotonic clock */
export function createSession(socket: WebSocket, stream: Duplex, caller: Caller, now: number, heartbeatMs: number): Session {
  // The first ping falls at a random point of the heartbeat, so that sockets that came together are not pinged together.
  const pingedAt = now - Math.floor(Math.random() * heartbeatMs);
  const { identity, user, address } = caller;
  const { userId, expiresAt } = identity;
  return {
    connection: ++connections, identity, userId, user, address, socket, stream, expiresAt, rains: new Set(), admissions: undefined, solving: false, pingedAt, alive: true, errors: 0,
    heardIn: -1, openGrab: undefined, blocked: false, closedWith: undefined,
  };
}

/**
 * The only way out. A socket that is gone swallows the message; one that does not read is closed, not buffered for. Frames are
 * written as they are, past ws, which would frame them once per socket: it neither compresses nor queues here, so that its
 * own control frames keep their order with ours.
 */
export function send(session: Session, message: string | Frame, limits: Limits): void {
  const { socket, stream } = session;
  if (socket.readyState !== WebSocket.OPEN) return;
  if (stream.writableLength > limits.sendBufferBytesMax) return end(session, 4413);
  stream.write(typeof message === 'string' ? frameOf(message) : message);
}

/** Tells what was wrong; who keeps sending nonsense is closed. */
export function sendProtocolError(session: Session, message: string, limits: Limits): void {
  send(session, message, limits);
  if (++session.errors >= limits.errorsPerSocketMax) end(session, 4429);
}

/** What is said to him until the end of what is being done goes out in one write. For who is said more than one thing: for one alone it is dearer. */
export function gather({ stream }: Session): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(letGo, stream);
}

function letGo(stream: Duplex): void {
  stream.uncork();
}

/** Answers a ping. Who pings and does not read is as slow a reader as any. */
export function pong(session: Session, data: Buffer, limits: Limits): void {
  const { socket, stream } = session;
  if (socket.readyState !== WebSocket.OPEN) return;
  if (stream.writableLength > limits.sendBufferBytesMax) return end(session, 4413);
  socket.pong(data);
}

/**
 * Says why and hangs up; a peer that does not answer the close is cut by ws after its own time-out. Who does not read or
 * does not answer is cut at once and sees 1006, most likely: for him the code is a wish, in our own logs it is the reason.
 */
export function end(session: Session, code: CloseCode): void {
  session.closedWith ??= code;
  session.socket.close(code, CLOSES[code].reason);
  if (code === 4413 || code === 4408) session.socket.terminate();
}

/**
 * Pings who is due, drops who did not answer the last one or whose token ran out. Called about once a second.
 *
 * @param now ms of the monotonic clock, which no correction of the time of day makes jump over everybody's pong
 * @param redisTime epoch ms
 * @param putOff nobody is pinged this time: there is something to tell that matters more
 */
export function heartbeat(session: Session, now: number, redisTime: number, putOff: boolean, limits: Limits): void {
  if (redisTime >= session.expiresAt) return end(session, 4401);
  if (!session.alive && now - session.pingedAt >= limits.pongMs) return end(session, 4408);
  if (putOff || now - session.pingedAt < limits.heartbeatMs) return;
  session.pingedAt = now;
  session.alive = false;
  if (session.socket.readyState === WebSocket.OPEN) session.stream.write(PING);
}
