import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type WebSocket } from 'ws';
import { Batcher } from '../grab/batcher.ts';
import { loadScripts } from '../grab/scripts.ts';
import { encode } from '../protocol/codec.ts';
import { GATEWAY_PATH, SUBPROTOCOL } from '../protocol/constants.ts';
import { ERRORS } from '../protocol/outcomes.ts';
import { deadlineIn } from '../runtime/deadline.ts';
import { LOCAL, type Durability } from '../runtime/durability.ts';
import type { Logger } from '../runtime/log.ts';
import { connectRedis, untilReady } from '../runtime/redis.ts';
import { expectFit } from '../runtime/redisDemands.ts';
import { answer, type Asker } from './asker.ts';
import { Audience } from './audience.ts';
import { Board } from './board.ts';
import type { Door } from './door.ts';
import { sayGoodbye } from './farewell.ts';
import { openKeeping } from './keeping.ts';
import { LIMITS, type Limits } from './limits.ts';
import { followNews } from './news.ts';
import { complain, route, turnAway } from './router.ts';
import { createSession, heartbeat, send, type Session } from './session.ts';
import { createTally, type Tally } from './tally.ts';
import { createVerifier, type Identity, type TokenRules } from './token.ts';
import { considerUpgrade, refuse } from './upgrade.ts';

export interface GatewayOptions {
  redisUrl: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  token: TokenRules;
  allowedOrigins?: readonly string[];
  limits?: Partial<Limits>;
  /** What a win must have survived before it is told, and how long that may take, ms. */
  durability?: Durability;
  durabilityWaitMs?: number;
  log: Logger;
}

export interface Gateway {
  /** `ws://host:port/v1` as bound. */
  url: string;
  port: number;
  sockets(): number;
  grabsPending(): number;
  readonly tally: Tally;
  /** Takes no more sockets, answers what is under way, tells everyone to come back, and ends; bounded by limits.closeMs. */
  close(): Promise<void>;
}

/** @throws when Redis cannot be reached or is not fit to keep what is won, a script does not compile, or the port is taken (EADDRINUSE) */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { log, durability = LOCAL } = options;
  const limits: Limits = { ...LIMITS, ...options.limits };
  const tally = createTally();
  const report = throttled((error) => log.error({ err: error }, 'redis fault'));
  let open = false;
  const onFault = (error: unknown) => {
    tally.redisFaults++;
    // Until then whoever starts the gateway is told, by what is thrown.
    if (open) report(error);
  };
  // Grabs, reads and pub/sub have a connection each: a slow snapshot never stands before a grab.
  const grabs = connectRedis(options.redisUrl, { purpose: 'once', onError: onFault });
  const reads = connectRedis(options.redisUrl, { purpose: 'once', onError: onFault });
  const subscriber = connectRedis(options.redisUrl, { purpose: 'subscriber', onError: onFault });

  const audience = new Audience();
  const board = new Board({
    redis: reads, onFault,
    onChange: (snapshot, fresh) => {
      const frame = encode(snapshot);
      const tell = (session: Session) => send(session, frame, limits);
      // A rain planned while people wait is news for all of them; later changes only for who watches it.
      if (fresh) audience.each(tell);
      else audience.eachWatching(snapshot.rainId, tell);
    },
  });
  const keeping = openKeeping({ redisUrl: options.redisUrl, redis: grabs, durability, waitMs: options.durabilityWaitMs ?? 500, now: () => board.now(), log, onFault });
  const connections = [grabs, reads, subscriber, ...keeping.connections];
  const batcher = new Batcher<Asker>(keeping.engine, (asker, rainId, given) => {
    // Losers, who are most, pass by at the cost of a look at their code.
    if (given.code === '0' || given.code === '1') keeping.remember(rainId, board.shardsOf(rainId), asker.userId, given);
    answer(asker, rainId, given, { limits, tally });
  }, limits.grabsPendingMax);
  const door: Door = { limits, audience, board, batcher, keeping, redis: reads, tally, onFault };

  let accepting = true;
  const ready = () => accepting && grabs.status === 'ready' && reads.status === 'ready';
  const sockets = new WebSocketServer({
    noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: limits.messageBytesMax, handleProtocols: () => SUBPROTOCOL,
  });
  const server = createServer({ maxHeaderSize: limits.headerBytesMax, headersTimeout: limits.handshakeMs, requestTimeout: limits.handshakeMs, connectionsCheckingInterval: 1_000 });
  // Connections that have not become sockets are bounded, too.
  server.maxConnections = limits.socketsMax + 1_000;
  server.on('request', (request, response) => {
    const status = request.url === '/healthz' ? 200 : request.url === '/readyz' ? (ready() ? 200 : 503) : 426;
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(status === 426 ? `WebSocket at ${GATEWAY_PATH}, subprotocol ${SUBPROTOCOL}\n` : `${status}\n`);
  });
  const rules = { limits, audience, verify: createVerifier(options.token, () => board.now()), allowedOrigins: options.allowedOrigins ?? [], accepting: ready };
  server.on('upgrade', (request, socket, head) => void upgrade(request, socket, head));

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // Without a listener a reset during the upgrade would end the process.
    socket.on('error', () => socket.destroy());
    const admission = await considerUpgrade(request, rules);
    if (!admission.ok) return refuse(socket, admission.status);
    sockets.handleUpgrade(request, socket, head, (peer) => welcome(peer, admission.identity));
  }

  function welcome(socket: WebSocket, { userId, expiresAt }: Identity): void {
    const session = createSession(socket, userId, expiresAt, performance.now(), limits.heartbeatMs);
    audience.add(session);
    socket.on('message', (data, isBinary) => receive(session, data, isBinary));
    socket.on('pong', () => { session.alive = true; });
    socket.on('close', () => audience.remove(session));
    // ws has already chosen the close code (1009 too big, 1007 bad UTF-8, 1002 protocol); the listener keeps it from being thrown.
    socket.on('error', () => {});
    send(session, encode({
      type: 'welcome', userId, serverTime: board.now(), rains: board.current(),
      limits: { messageBytesMax: limits.messageBytesMax, heartbeatMs: limits.heartbeatMs },
    }), limits);
  }

  function receive(session: Session, data: RawData, isBinary: boolean): void {
    if (isBinary) return complain(door, session, encode({ type: 'error', code: 'not_text', reason: ERRORS.not_text.meaning }));
    if (!accepting) return turnAway(door, session, data.toString(), '-7');
    route(door, session, data.toString(), performance.now());
  }

  const pulse = setInterval(() => {
    const [now, redisTime] = [performance.now(), board.now()];
    for (const session of audience) heartbeat(session, now, redisTime, limits);
  }, 1_000);

  let closing: Promise<void> | undefined;
  const close = () => closing ??= drain();

  /** Still listens meanwhile, so that whoever asks is told 503 and where he stands, not that nobody is there. */
  async function drain(): Promise<void> {
    accepting = false;
    const deadline = deadlineIn(limits.closeMs);
    // Half of the time belongs to the answers that are under way, the rest to the goodbyes.
    await deadlineIn(limits.closeMs / 2).until(() => batcher.pending === 0);
    await sayGoodbye(audience, limits);
    await deadline.until(() => audience.size === 0);
    for (const session of audience) session.socket.terminate();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    release();
    await closed;
  }

  function release(): void {
    clearInterval(pulse);
    board.close();
    keeping.close();
    for (const connection of connections) connection.disconnect();
  }

  try {
    await Promise.all(connections.map((connection) => untilReady(connection)));
    await expectFit(reads, durability, log);
    await loadScripts(grabs);
    await board.start();
    await followNews(subscriber, door);
    const port = await listen(server, options.host, options.port);
    open = true;
    log.info({ port }, 'gateway open');
    return { url: `ws://${options.host}:${port}${GATEWAY_PATH}`, port, sockets: () => audience.size, grabsPending: () => batcher.pending, tally, close };
  } catch (error) {
    release();
    throw error;
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, 4_096, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** A Redis that is away fails every batch; one line a second says so. */
function throttled(report: (error: unknown) => void): (error: unknown) => void {
  let next = 0;
  return (error) => {
    const now = Date.now();
    if (now < next) return;
    next = now + 1_000;
    report(error);
  };
}
