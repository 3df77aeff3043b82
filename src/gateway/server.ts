import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type RawData, type ServerOptions, type WebSocket } from 'ws';
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
import { Blocklist } from './blocklist.ts';
import { Board } from './board.ts';
import { complain } from './complaint.ts';
import type { Door } from './door.ts';
import { sayGoodbye } from './farewell.ts';
import { Foregone } from './foregone.ts';
import { frameOf } from './frame.ts';
import { Handshakes } from './handshakes.ts';
import { createHttpServer, listen, refuseUpgrade } from './http.ts';
import { openKeeping } from './keeping.ts';
import { LIMITS, type Limits } from './limits.ts';
import type { Chance } from './lots.ts';
import { followNews } from './news.ts';
import { Openings } from './openings.ts';
import { Pace } from './pace.ts';
import { openRelief, type Load } from './relief.ts';
import { route, turnAway } from './router.ts';
import { createSession, end, heartbeat, pong, send, type Session } from './session.ts';
import { countClose, createTally, type Tally } from './tally.ts';
import { throttled } from './throttled.ts';
import { createVerifier, type TokenRules } from './token.ts';
import { considerUpgrade, type Admitted } from './upgrade.ts';
import { Wicket, type WicketRules } from './wicket.ts';

export interface GatewayOptions {
  redisUrl: string;
  host: string;
  /** 0 takes a free one. */
  port: number;
  token: TokenRules;
  allowedOrigins?: readonly string[];
  /** How many proxies of ours stand before this gateway, each of which adds to X-Forwarded-For; 0: the peer is who he is. */
  trustedProxies?: number;
  limits?: Partial<Limits>;
  /** Absent: nobody needs a ticket. */
  wicket?: WicketRules | undefined;
  /** More is asked of this gateway than it can do; for what is demanded under pressure only. */
  pressed?: () => boolean;
  /** What a win must have survived before it is told, and how long that may take, ms. */
  durability?: Durability;
  durabilityWaitMs?: number;
  /** Who is first when a rain opens. */
  chance?: Chance;
  log: Logger;
}

export interface Gateway {
  /** `ws://host:port/v1` as bound. */
  url: string;
  port: number;
  sockets(): number;
  grabsPending(): number;
  readonly tally: Tally;
  load(): Load;
  /** Something is given up because more is asked than can be done. */
  pressed(): boolean;
  /** Takes no more sockets, answers what is under way, tells everyone to come back, and ends; bounded by limits.closeMs. */
  close(): Promise<void>;
}

/** @throws when Redis cannot be reached or is not fit to keep what is won, a script does not compile, or the port is taken (EADDRINUSE) */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { log, durability = LOCAL, trustedProxies = 0 } = options;
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
    redis: reads, onFault, restMs: () => audience.restMs,
    onChange: (snapshot, fresh) => {
      openings.expect(snapshot);
      const frame = frameOf(encode(snapshot));
      const tell = (session: Session) => send(session, frame, limits);
      // A rain planned while people wait is news for all of them; later changes only for who watches it.
      if (fresh) audience.each(tell);
      else audience.eachWatching(snapshot.rainId, tell);
    },
  });
  const keeping = openKeeping({ redisUrl: options.redisUrl, redis: grabs, durability, waitMs: options.durabilityWaitMs ?? 500, now: () => board.now(), log, onFault });
  const connections = [grabs, reads, subscriber, ...keeping.connections];
  const foregone = new Foregone({
    redis: reads, reading: (rainId) => board.reading(rainId), refresh: (rainId) => board.refresh(rainId), now: () => board.now(), clockErrorMs: () => board.clockErrorMs(), onFault,
  });
  // What is known was read from a server that may be another now, or one that has changed unheard.
  for (const connection of connections) connection.on('close', () => foregone.forget());
  const relief = openRelief({ limits, redis: reads, now: () => board.now(), log, onFault });
  const batcher = new Batcher<Asker>(relief.roundTrips.of(keeping.engine), (asker, rainId, given) => {
    if (given.code === '-1' || given.code === '-2' || given.code === '-3') foregone.heardNo(rainId);
    else if (given.code === '0' || given.code === '1') keeping.remember(rainId, board.shardsOf(rainId), asker.userId, given);
    answer(asker, rainId, given, door);
  }, limits.grabsPendingMax);
  const openings = new Openings({
    fairStartMs: limits.fairStartMs, batcher, reading: (rainId) => board.reading(rainId), now: () => board.now(), clockErrorMs: () => board.clockErrorMs(), onGathered: () => { tally.gathered++; },
    answer: (asker, rainId, given) => answer(asker, rainId, given, door), ...(options.chance && { chance: options.chance }),
  });
  const pace = new Pace(limits, tally);
  const wicket = options.wicket && new Wicket(options.wicket, { limits, tally, pace, now: () => board.now(), pressed: options.pressed ?? (() => relief.pressure.pressed) });
  const handshakes = new Handshakes(limits);
  const blocklist = new Blocklist({ redis: reads, now: () => board.now(), onChange: () => audience.each(keepOut), onFault });
  const door: Door = { limits, audience, board, batcher, openings, foregone, keeping, redis: reads, pace, blocklist, wicket, relief, tally, onFault };

  let accepting = true;
  let suspected = false;
  const ready = () => accepting && grabs.status === 'ready' && reads.status === 'ready';
  const socketOptions: ServerOptions & { closeTimeout: number } = {
    noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: limits.messageBytesMax, maxFragments: limits.fragmentsMax, closeTimeout: limits.hangUpMs,
    // ws would answer every ping, also those of a peer that reads none of the answers.
    autoPong: false, handleProtocols: () => SUBPROTOCOL,
  };
  const sockets = new WebSocketServer(socketOptions);
  const rules = {
    limits, audience, pace, handshakes, blocklist, switchboard: relief.switchboard, tally, trustedProxies, verify: createVerifier(options.token, () => board.now()),
    allowedOrigins: options.allowedOrigins ?? [], accepting: ready,
  };
  const server = createHttpServer({ limits, trustedProxies, ready, onDropped: (limit) => { tally.refused[limit]++; }, onUpgrade: (request, socket, head) => void upgrade(request, socket, head) });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    if (trustedProxies === 0 && !suspected && request.headers['x-forwarded-for'] !== undefined) {
      suspected = true;
      log.warn('a proxy seems to stand before this gateway: as long as TRUSTED_PROXIES is 0, all of its players count as one address');
    }
    const admission = await considerUpgrade(request, rules);
    if (!admission.ok) return refuseUpgrade(socket, admission, limits);
    sockets.handleUpgrade(request, socket, head, (peer) => welcome(peer, socket, admission));
  }

  function welcome(socket: WebSocket, stream: Duplex, { identity: { userId, expiresAt }, address }: Admitted): void {
    const guest = { userId, expiresAt, user: pace.users.enter(userId), address: pace.addresses.enter(address) };
    const session = createSession(socket, stream, guest, performance.now(), limits.heartbeatMs);
    audience.add(session);
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
  }

  /** Answers under way still reach who is blocked, and what he asks meanwhile is told why. Then he is closed. */
  function keepOut(session: Session): void {
    if (session.blocked || !(blocklist.holdsUser(session.userId) || blocklist.holdsAddress(session.address.name))) return;
    session.blocked = true;
    setTimeout(end, limits.blockedMs, session, 4403).unref();
  }

  function receive(session: Session, data: RawData, isBinary: boolean): void {
    // Who has been closed may go on talking until he hears of it, or for as long as he likes.
    if (session.closedWith !== undefined) return;
    if (isBinary) return complain(door, session, encode({ type: 'error', code: 'not_text', reason: ERRORS.not_text.meaning }));
    if (!accepting) return turnAway(door, session, data.toString(), '-7');
    route(door, session, data.toString());
  }

  const pulse = setInterval(() => {
    const [now, redisTime] = [performance.now(), board.now()];
    for (const session of audience) heartbeat(session, now, redisTime, limits);
    pace.forget();
    handshakes.forget();
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
    openings.close();
    blocklist.close();
    relief.close();
    keeping.close();
    for (const connection of connections) connection.disconnect();
  }

  try {
    await Promise.all(connections.map((connection) => untilReady(connection)));
    await expectFit(reads, durability, log);
    await loadScripts(grabs);
    await board.start();
    await blocklist.start();
    await relief.start();
    await followNews(subscriber, door);
    const port = await listen(server, options.host, options.port);
    open = true;
    log.info({ port }, 'gateway open');
    return {
      url: `ws://${options.host}:${port}${GATEWAY_PATH}`, port, sockets: () => audience.size, grabsPending: () => batcher.pending, tally,
      load: relief.load, pressed: () => relief.pressure.pressed, close,
    };
  } catch (error) {
    release();
    throw error;
  }
}
