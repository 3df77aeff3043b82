import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type ServerOptions, type WebSocket } from 'ws';
import { encode } from '../../protocol/codec.ts';
import { SUBPROTOCOL } from '../../protocol/constants.ts';
import { ERRORS } from '../../protocol/outcomes.ts';
import type { Lifecycle } from '../../platform/process/lifecycle.ts';
import type { Assembly } from '../assembly.ts';
import { refuseUpgrade } from './http.ts';
import { PING_CHECK_MS, SKIPPED_PINGS_MAX } from './limits.ts';
import type { GatewayOptions } from '../options.ts';
import { route, refuseRemaining } from '../handlers/router.ts';
import { sendProtocolError, createSession, heartbeat, pong, send, type Session } from './session.ts';
import { countClose } from '../telemetry/counters.ts';
import { createVerifier } from './token.ts';
import { checkUpgrade, type Admitted, type UpgradeRules } from './upgrade.ts';
import { Welcome } from './welcome.ts';

/** Accepts sockets, passes on their messages and removes closed ones. */
export function openAcceptor(
  { context, blocklist, overload, connected }: Assembly,
  options: GatewayOptions,
  lifecycle: Lifecycle,
) {
  const { limits, hub, rainCache, sales, rateLimiter, counters } = context;
  const { log, trustedProxies = 0 } = options;
  const welcome = new Welcome(rainCache, sales.cache, limits);
  let accepting = true;
  let proxyWarned = false;
  const socketOptions: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: limits.messageBytesMax,
    maxFragments: limits.fragmentsMax,
    closeTimeout: limits.hangUpMs,
    // By default ws answers every ping, even from a peer that reads no answers.
    autoPong: false,
    handleProtocols: () => SUBPROTOCOL,
  };
  const sockets = new WebSocketServer(socketOptions);
  const rules: UpgradeRules = {
    limits,
    hub,
    rateLimiter,
    blocklist,
    killSwitches: overload.killSwitches,
    counters,
    trustedProxies,
    verify: createVerifier(options.token, () => rainCache.now()),
    allowedOrigins: options.allowedOrigins ?? [],
    accepting: () => accepting && connected(),
  };

  async function upgrade(request: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> {
    if (trustedProxies === 0 && !proxyWarned && request.headers['x-forwarded-for'] !== undefined) {
      proxyWarned = true;
      log.warn(
        'a proxy seems to stand before this gateway: while TRUSTED_PROXIES is 0, all of its players count as one address',
      );
    }
    const admission = await checkUpgrade(request, rules);
    if (!admission.ok) return refuseUpgrade(stream, admission, limits);
    // The answer to the upgrade and `welcome` are one system call.
    stream.cork();
    sockets.handleUpgrade(request, stream, head, (socket) => enter(socket, stream, admission));
    stream.uncork();
  }

  function enter(socket: WebSocket, stream: Duplex, { identity, address }: Admitted): void {
    const { userId } = identity;
    const caller = {
      user: rateLimiter.users.enter(userId),
      address: rateLimiter.addresses.enter(address),
      socket,
      stream,
    };
    const session = createSession(identity, caller, performance.now(), limits.heartbeatMs);
    hub.add(session);
    log.debug({ connection: session.connection, userId }, 'socket opened');
    socket.on('message', (data, isBinary) => receive(session, data, isBinary));
    // Pings and unrequested pongs count as messages.
    socket.on('ping', (data) => {
      if (rateLimiter.admit(session)) pong(session, data, limits);
    });
    socket.on('pong', () => {
      if (!session.alive) session.alive = true;
      else rateLimiter.admit(session);
    });
    socket.on('close', () => leave(session));
    // ws has chosen the close code (1009 too big, 1007 bad UTF-8, 1002 protocol error). Without this listener the error
    // would be thrown.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      if (code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') session.closedWith ??= 1009;
      else if (code === 'WS_ERR_TOO_MANY_BUFFERED_PARTS') counters.refused.message_pieces++;
    });
    send(session, welcome.frameFor(identity), limits);
  }

  function leave(session: Session): void {
    hub.remove(session);
    rateLimiter.users.leave(session.user);
    rateLimiter.addresses.leave(session.address);
    if (session.closedWith !== undefined) countClose(counters, session.closedWith);
    log.debug({ connection: session.connection, closedWith: session.closedWith }, 'socket closed');
  }

  function receive(session: Session, data: RawData, isBinary: boolean): void {
    // A peer that we have closed may keep sending; its messages are ignored.
    if (session.closedWith !== undefined) return;
    if (isBinary)
      return sendProtocolError(
        session,
        encode({ type: 'error', code: 'not_text', reason: ERRORS.not_text.meaning }),
        context.limits,
      );
    if (!accepting) return refuseRemaining(context, session, data.toString(), '-7');
    route(context, session, data.toString());
  }

  let skipped = 0;
  const pingTimer = setInterval(() => {
    const [now, redisTime] = [performance.now(), rainCache.now()];
    skipped = hub.broadcasting && skipped < SKIPPED_PINGS_MAX ? skipped + 1 : 0;
    for (const session of hub) heartbeat(session, now, redisTime, skipped > 0, limits);
    rateLimiter.forget();
    context.challenges.forget();
  }, PING_CHECK_MS);
  lifecycle.onClose('heartbeat', () => clearInterval(pingTimer));

  return {
    rules,
    /** Answers an HTTP upgrade with a socket or with a refusal. Never throws. */
    upgrade: (request: IncomingMessage, stream: Duplex, head: Buffer) => void upgrade(request, stream, head),
    /** Accepts no more sockets; grabs on open sockets are answered "busy". */
    shut: () => {
      accepting = false;
    },
  };
}
