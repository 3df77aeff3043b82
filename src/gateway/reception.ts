import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type ServerOptions, type WebSocket } from 'ws';
import { encode } from '../protocol/codec.ts';
import { SUBPROTOCOL } from '../protocol/constants.ts';
import { ERRORS } from '../protocol/outcomes.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { Assembly } from './assembly.ts';
import { Handshakes } from './guard/handshakes.ts';
import { refuseUpgrade } from './http.ts';
import type { GatewayOptions } from './options.ts';
import { route, turnAway } from './router.ts';
import { complain, createSession, heartbeat, pong, send, type Session } from './session.ts';
import { countClose } from './tally.ts';
import { createVerifier } from './token.ts';
import { considerUpgrade, type Admitted, type UpgradeRules } from './upgrade.ts';

const PULSE_MS = 1_000;
/** So long do pings wait while something is told to everybody, in pulses. */
const PUT_OFF_MAX = 5;

/** Where sockets come in, speak and leave. */
export interface Reception {
  /** Answers an HTTP upgrade: with a socket, or with why there is none. Never throws. */
  upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): void;
  /** From now on nobody comes in, and who asks is told to come back. */
  shut(): void;
}

export function openReception({ door, blocklist, relief, connected }: Assembly, options: GatewayOptions, lifecycle: Lifecycle): Reception {
  const { limits, audience, board, pace, tally } = door;
  const { log, trustedProxies = 0 } = options;
  const handshakes = new Handshakes(limits);
  let accepting = true;
  let suspected = false;
  const socketOptions: ServerOptions & { closeTimeout: number } = {
    noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: limits.messageBytesMax, maxFragments: limits.fragmentsMax, closeTimeout: limits.hangUpMs,
    // ws would answer every ping, also those of a peer that reads none of the answers.
    autoPong: false, handleProtocols: () => SUBPROTOCOL,
  };
  const sockets = new WebSocketServer(socketOptions);
  const rules: UpgradeRules = {
    limits, audience, pace, handshakes, blocklist, switchboard: relief.switchboard, tally, trustedProxies, verify: createVerifier(options.token, () => board.now()),
    allowedOrigins: options.allowedOrigins ?? [], accepting: () => accepting && connected(),
  };

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    if (trustedProxies === 0 && !suspected && request.headers['x-forwarded-for'] !== undefined) {
      suspected = true;
      log.warn('a proxy seems to stand before this gateway: as long as TRUSTED_PROXIES is 0, all of its players count as one address');
    }
    const admission = await considerUpgrade(request, rules);
    if (!admission.ok) return refuseUpgrade(stream, admission, limits);
    sockets.handleUpgrade(request, stream, head, (socket) => welcome(socket, stream, admission));
  }

  function welcome(socket: WebSocket, stream: Duplex, { identity, address }: Admitted): void {
    const { userId } = identity;
    const guest = { identity, user: pace.users.enter(userId), address: pace.addresses.enter(address) };
    const session = createSession(socket, stream, guest, performance.now(), limits.heartbeatMs);
    audience.add(session);
    log.debug({ connection: session.connection, userId }, 'came');
    socket.on('message', (data, isBinary) => receive(session, data, isBinary));
    // Pings, and pongs that nobody asked for, count as messages.
    socket.on('ping', (data) => { if (pace.admit(session)) pong(session, data, limits); });
    socket.on('pong', () => { if (!session.alive) session.alive = true; else pace.admit(session); });
    socket.on('close', () => leave(session));
    // ws has already chosen the close code (1009 too big, 1007 bad UTF-8, 1002 protocol); the listener keeps it from being thrown.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') session.closedWith ??= 1009;
      else if (code === 'WS_ERR_TOO_MANY_BUFFERED_PARTS') tally.refused.message_pieces++;
    });
    send(session, encode({
      type: 'welcome', userId, serverTime: board.now(), rains: board.current(),
      limits: { messageBytesMax: limits.messageBytesMax, heartbeatMs: limits.heartbeatMs },
    }), limits);
  }

  function leave(session: Session): void {
    audience.remove(session);
    pace.users.leave(session.user);
    pace.addresses.leave(session.address);
    if (session.closedWith !== undefined) countClose(tally, session.closedWith);
    log.debug({ connection: session.connection, closedWith: session.closedWith }, 'left');
  }

  function receive(session: Session, data: RawData, isBinary: boolean): void {
    // Who has been closed may go on talking until he hears of it, or for as long as he likes.
    if (session.closedWith !== undefined) return;
    if (isBinary) return complain(session, encode({ type: 'error', code: 'not_text', reason: ERRORS.not_text.meaning }), door.limits);
    if (!accepting) return turnAway(door, session, data.toString(), '-7');
    route(door, session, data.toString());
  }

  let putOff = 0;
  const pulse = setInterval(() => {
    const [now, redisTime] = [performance.now(), board.now()];
    putOff = audience.telling && putOff < PUT_OFF_MAX ? putOff + 1 : 0;
    for (const session of audience) heartbeat(session, now, redisTime, putOff > 0, limits);
    pace.forget();
    handshakes.forget();
  }, PULSE_MS);
  lifecycle.onClose('heartbeat', () => clearInterval(pulse));

  return {
    upgrade: (request, stream, head) => void upgrade(request, stream, head),
    shut: () => { accepting = false; },
  };
}
