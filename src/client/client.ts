import type { ErrorMessage, ServerMessage, WelcomeMessage, RainSnapshot } from '../protocol/messages.ts';
import { ServerClock } from './clock.ts';
import { Connection, type Link } from './connection.ts';
import type { RainClient, RainClientOptions, RainEvents } from './contract.ts';
import { Events } from './events.ts';
import type { GrabOutcome } from './outcome.ts';
import { Deferred } from './deferred.ts';
import { Heartbeat } from './heartbeat.ts';
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
export type { OpenGrab, Joined } from './rainSession.ts';
export type { Socket, SocketClass } from './socket.ts';
export type { TokenSource } from './token.ts';

const NO_SOLVER = { code: 'no_solver', reason: 'a grab needs a ticket here, and that a challenge: expected the option solve' } as const;
const CLOSED = { code: 'closed', reason: 'this client was closed' };

/** @throws TypeError when an option cannot be what it is to be */
export function createRainClient(options: RainClientOptions): RainClient {
  return new Client(options);
}

class Client implements RainClient {
  readonly #events = new Events<RainEvents>();
  readonly #seats = new Map<string, RainSession>();
  readonly #welcomed = new Deferred<WelcomeMessage | RainRefused>();
  readonly #clock: ServerClock;
  readonly #connection: Connection;
  readonly #pulse: Heartbeat;
  readonly #session: (rainId: string) => RainSession;
  #welcome: WelcomeMessage | undefined;

  constructor({ url, token, WebSocket = globalSocket(), solve, random = Math.random, now = () => performance.now() }: RainClientOptions) {
    if (!isAddress(url)) throw new TypeError(`url: expected an address of ws:// or wss://, got ${JSON.stringify(url)}`);
    if (!WebSocket) throw new TypeError("WebSocket: expected one, as there is no global one here; that of 'ws' fits");
    this.#clock = new ServerClock(now, Date.now());
    this.#connection = new Connection({
      url, tokens: new Tokens(token), WebSocket, random, now,
      onMessage: (message) => this.#hear(message),
      onLink: (link, code) => this.#linked(link, code),
    });
    this.#pulse = new Heartbeat(() => this.#connection.send({ type: 'ping', t: now() }));
    this.#session = (rainId) => new RainSession({
      rainId, random,
      now: () => this.#clock.now(),
      solve: solve ?? (async () => {
        this.#events.tell('error', NO_SOLVER);
        return undefined;
      }),
      send: (message) => this.#connection.send(message),
      onAsking: (why) => this.#events.tell('asking', { rainId, why }),
      onResult: (result) => this.#events.tell('result', result),
      onWon: (packet) => this.#events.tell('won', { rainId, ...packet }),
      onCredited: (message) => this.#events.tell('credited', message),
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
    for (const session of this.#seats.values()) session.end(CLOSED);
    this.#seats.clear();
  }

  renew(): void {
    this.#connection.renew();
  }

  join(rainId: string, { signal }: { signal?: AbortSignal } = {}): Promise<Joined> {
    return this.#sit(rainId).join(signal);
  }

  leave(rainId: string): void {
    this.#seats.get(rainId)?.end({ code: 'left', reason: 'this rain was left' });
    this.#seats.delete(rainId);
  }

  grab(rainId: string, { signal }: { signal?: AbortSignal } = {}): Promise<GrabOutcome> {
    return this.#sit(rainId).grab(signal);
  }

  rain(rainId: string): RainSnapshot | undefined {
    return this.#seats.get(rainId)?.rain;
  }

  serverNow(): number {
    return this.#clock.now();
  }

  on<Name extends keyof RainEvents>(name: Name, listener: (told: RainEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  #sit(rainId: string): RainSession {
    const known = this.#seats.get(rainId);
    if (known) return known;
    const session = this.#session(rainId);
    this.#seats.set(rainId, session);
    if (this.link === 'up') session.connected();
    return session;
  }

  #hear(message: ServerMessage): void {
    switch (message.type) {
      case 'welcome': return this.#enter(message);
      case 'pong': return this.#clock.answered(message.serverTime, message.t);
      case 'rain':
        this.#clock.told(message.serverTime);
        this.#seats.get(message.rainId)?.hearRain(message);
        return this.#events.tell('rain', message);
      case 'ticket':
      case 'challenge': return this.#seats.get(message.rainId)?.hearTicket(message);
      case 'result': return this.#seats.get(message.rainId)?.hearResult(message);
      case 'credited': return this.#seats.get(message.rainId)?.hearCredited(message);
      case 'winners': return this.#events.tell('winners', message);
      case 'goodbye': return this.#events.tell('goodbye', message);
      case 'error': return this.#hearError(message);
      // A message of a newer server.
      default: return message satisfies never;
    }
  }

  #enter(welcome: WelcomeMessage): void {
    this.#clock.told(welcome.serverTime);
    const before = this.#welcome?.userId;
    this.#welcome = welcome;
    for (const session of this.#seats.values()) {
      if (before !== undefined && before !== welcome.userId) session.forget();
      session.connected();
    }
    this.#events.tell('welcome', welcome);
    this.#welcomed.keep(welcome);
  }

  #hearError(message: ErrorMessage): void {
    if (message.code === 'not_solved') for (const session of this.#seats.values()) session.hearNotSolved();
    if (message.code === 'not_allowed') for (const session of this.#seats.values()) session.refuse(message);
    this.#events.tell('error', message);
  }

  #linked(link: Link, code?: string): void {
    if (link === 'up') {
      this.#clock.doubt();
      this.#pulse.start();
    } else {
      this.#pulse.stop();
      for (const session of this.#seats.values()) session.disconnected();
    }
    this.#events.tell('link', { link, ...(code !== undefined && { code }) });
    if (link === 'no_token' || link === 'refused') this.#giveUp(new RainRefused(code ?? link));
    if (link === 'idle') this.#welcomed.keep(new RainRefused(CLOSED.code));
  }

  /** Nobody will be asked any more: those who wait are told so. */
  #giveUp(refused: RainRefused): void {
    for (const session of this.#seats.values()) session.end({ code: refused.code, reason: refused.message });
    this.#welcomed.keep(refused);
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
