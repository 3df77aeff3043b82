import type { ErrorMessage, ServerMessage, WelcomeMessage, RainSnapshot } from '../protocol/messages.ts';
import { ServerClock } from './clock.ts';
import { Connection, type Link } from './connection.ts';
import type { RainClient, RainClientOptions, RainEvents } from './contract.ts';
import { Events } from './events.ts';
import type { GrabOutcome } from './outcome.ts';
import { Deferred } from './deferred.ts';
import { startHeartbeat } from './heartbeat.ts';
import { RainRefused } from './refused.ts';
import { RainSession, type Joined } from './rainSession.ts';
import type { SocketClass } from './socket.ts';
import { Tokens } from './token.ts';

export type { CreditedMessage, GoodbyeMessage, RainSnapshot, ResultMessage, WelcomeMessage, WinnersMessage } from '../protocol/messages.ts';
export type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
export type { Link } from './connection.ts';
export type { RainClient, RainClientOptions, RainEvents } from './contract.ts';
export type { GrabOutcome, Packet } from './outcome.ts';
export { RainRefused } from './refused.ts';
export type { Receipt, ReceiptStore } from './receiptHolder.ts';
export type { OpenGrab, Joined } from './rainSession.ts';
export type { Socket, SocketClass } from './socket.ts';
export type { TokenSource } from './token.ts';

const NO_SOLVER = { code: 'no_solver', reason: 'a grab needs a ticket here, and a ticket needs a solved challenge: expected the option solve' } as const;
const CLOSED = { code: 'closed', reason: 'this client was closed' };

/** @throws TypeError when an option is invalid */
export function createRainClient(options: RainClientOptions): RainClient {
  return new Client(options);
}

class Client implements RainClient {
  readonly #events = new Events<RainEvents>();
  readonly #sessions = new Map<string, RainSession>();
  readonly #welcomed = new Deferred<WelcomeMessage | RainRefused>();
  readonly #clock: ServerClock;
  readonly #connection: Connection;
  #stopHeartbeat: () => void = () => {};
  readonly #ping: () => void;
  readonly #createSession: (rainId: string) => RainSession;
  #welcome: WelcomeMessage | undefined;

  constructor({ url, token, WebSocket = globalSocket(), solve, receipts, random = Math.random, now = () => performance.now() }: RainClientOptions) {
    if (!isAddress(url)) throw new TypeError(`url: expected a ws:// or wss:// address, got ${JSON.stringify(url)}`);
    if (!WebSocket) throw new TypeError("WebSocket: missing, because there is no global WebSocket here; use the one of 'ws'");
    this.#clock = new ServerClock(now, Date.now());
    this.#connection = new Connection({
      url, tokens: new Tokens(token), WebSocket, random, now,
      onMessage: (message) => this.#receive(message),
      onLink: (link, code) => this.#onLink(link, code),
    });
    this.#ping = () => this.#connection.send({ type: 'ping', t: now() });
    this.#createSession = (rainId) => new RainSession({
      rainId, random,
      now: () => this.#clock.now(),
      solve: solve ?? (async () => {
        this.#events.emit('error', NO_SOLVER);
        return undefined;
      }),
      send: (message) => this.#connection.send(message),
      readReceipt: () => (this.userId === undefined ? undefined : receipts?.read(rainId, this.userId)),
      writeReceipt: (receipt) => { if (this.userId !== undefined) receipts?.write(rainId, this.userId, receipt); },
      onAsking: (why) => this.#events.emit('asking', { rainId, why }),
      onResult: (result) => this.#events.emit('result', result),
      onWon: (packet) => this.#events.emit('won', { rainId, ...packet }),
      onCredited: (message) => this.#events.emit('credited', message),
      onReceipt: (packet, status) => this.#events.emit('receipt', { rainId, ...packet, status }),
    });
  }

  get link(): Link {
    return this.#connection.link;
  }

  get userId(): string | undefined {
    return this.#welcome?.userId;
  }

  async connect({ signal }: { signal?: AbortSignal } = {}): Promise<WelcomeMessage> {
    if (this.link === 'up' && this.#welcome) return this.#welcome;
    const welcomed = this.#welcomed.wait(signal, () => this.#connection.stop());
    if (!signal?.aborted) this.#connection.start();
    const answer = await welcomed;
    if (answer instanceof RainRefused) throw answer;
    return answer;
  }

  close(): void {
    this.#connection.stop();
    for (const session of this.#sessions.values()) session.end(CLOSED);
    this.#sessions.clear();
  }

  renew(): void {
    this.#connection.renew();
  }

  join(rainId: string, { signal }: { signal?: AbortSignal } = {}): Promise<Joined> {
    return this.#sessionFor(rainId).join(signal);
  }

  leave(rainId: string): void {
    this.#sessions.get(rainId)?.end({ code: 'left', reason: 'this rain was left' });
    this.#sessions.delete(rainId);
  }

  grab(rainId: string, { signal }: { signal?: AbortSignal } = {}): Promise<GrabOutcome> {
    return this.#sessionFor(rainId).grab(signal);
  }

  rain(rainId: string): RainSnapshot | undefined {
    return this.#sessions.get(rainId)?.rain;
  }

  serverNow(): number {
    return this.#clock.now();
  }

  on<Name extends keyof RainEvents>(name: Name, listener: (event: RainEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  #sessionFor(rainId: string): RainSession {
    const known = this.#sessions.get(rainId);
    if (known) return known;
    const session = this.#createSession(rainId);
    this.#sessions.set(rainId, session);
    if (this.link === 'up') session.connected();
    return session;
  }

  #receive(message: ServerMessage): void {
    switch (message.type) {
      case 'welcome': return this.#onWelcome(message);
      case 'pong': return this.#clock.answered(message.serverTime, message.t);
      case 'rain':
        this.#clock.estimate(message.serverTime);
        this.#sessions.get(message.rainId)?.receiveRain(message);
        return this.#events.emit('rain', message);
      case 'ticket':
      case 'challenge': return this.#sessions.get(message.rainId)?.receiveTicket(message);
      case 'result': return this.#sessions.get(message.rainId)?.receiveResult(message);
      case 'credited': return this.#sessions.get(message.rainId)?.receiveCredited(message);
      case 'winners': return this.#events.emit('winners', message);
      case 'goodbye': return this.#events.emit('goodbye', message);
      case 'error': return this.#onError(message);
      // A message type of a newer server.
      case 'receipt_status': return this.#sessions.get(message.rainId)?.receiveReceiptStatus(message);
      default: return message satisfies never;
    }
  }

  #onWelcome(welcome: WelcomeMessage): void {
    this.#clock.estimate(welcome.serverTime);
    const before = this.#welcome?.userId;
    this.#welcome = welcome;
    for (const session of this.#sessions.values()) {
      if (before !== undefined && before !== welcome.userId) session.forget();
      session.connected();
    }
    this.#events.emit('welcome', welcome);
    this.#welcomed.resolve(welcome);
  }

  #onError(message: ErrorMessage): void {
    if (message.code === 'not_solved') for (const session of this.#sessions.values()) session.receiveNotSolved();
    if (message.code === 'not_allowed') for (const session of this.#sessions.values()) session.refuse(message);
    this.#events.emit('error', message);
  }

  #onLink(link: Link, code?: string): void {
    this.#stopHeartbeat();
    if (link === 'up') {
      this.#clock.doubt();
      this.#stopHeartbeat = startHeartbeat(this.#ping);
    } else {
      for (const session of this.#sessions.values()) session.disconnected();
    }
    this.#events.emit('link', { link, ...(code !== undefined && { code }) });
    if (link === 'idle') this.#welcomed.resolve(new RainRefused(CLOSED.code));
    if (link !== 'no_token' && link !== 'refused') return;
    // There will be no further connection: all waiting callers receive the refusal.
    const refused = new RainRefused(code ?? link);
    for (const session of this.#sessions.values()) session.end({ code: refused.code, reason: refused.message });
    this.#welcomed.resolve(refused);
  }
}

function isAddress(url: string): boolean {
  try {
    return /^wss?:$/.test(new URL(url).protocol);
  } catch {
    return false;
  }
}

function globalSocket(): SocketClass | undefined {
  return (globalThis as { WebSocket?: SocketClass }).WebSocket;
}
