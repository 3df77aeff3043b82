import type { ErrorMessage, ServerMessage, WelcomeMessage, RainSnapshot } from '../protocol/messages.ts';
import type { SaleSnapshot } from '../protocol/saleMessages.ts';
import type { BuyOutcome, CancelOutcome } from './buyOutcome.ts';
import { ServerClock } from './clock.ts';
import { Connection, type Link } from './connection.ts';
import type { Abortable, RainClient, RainClientOptions, RainEvents } from './contract.ts';
import { Events } from './events.ts';
import type { Order } from './orders.ts';
import type { GrabOutcome } from './outcome.ts';
import type { Purchase } from './purchase.ts';
import { Deferred } from './deferred.ts';
import { startHeartbeat } from './heartbeat.ts';
import { RainRefused } from './refused.ts';
import { RainSession, type Joined } from './rainSession.ts';
import { SaleSession, type Visited } from './saleSession.ts';
import { globalSocket, isSocketAddress } from './socket.ts';
import { Tokens } from './token.ts';

export type {
  CreditedMessage,
  GoodbyeMessage,
  RainSnapshot,
  ResultMessage,
  WelcomeMessage,
  WinnersMessage,
} from '../protocol/messages.ts';
export type { RestockMessage, SaleSnapshot } from '../protocol/saleMessages.ts';
export type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
export type { BuyOutcome, CancelOutcome } from './buyOutcome.ts';
export type { Link } from './connection.ts';
export type { RainClient, RainClientOptions, RainEvents } from './contract.ts';
export type { Order } from './orders.ts';
export type { GrabOutcome, Packet } from './outcome.ts';
export type { NamedPurchase, Purchase } from './purchase.ts';
export { RainRefused } from './refused.ts';
export type { Receipt, ReceiptStore } from './receiptHolder.ts';
export type { OpenGrab, Joined } from './rainSession.ts';
export type { OpenPurchase, Visited } from './saleSession.ts';
export type { Signal } from './signal.ts';
export type { Socket, SocketClass } from './socket.ts';
export type { TokenSource } from './token.ts';

const NO_SOLVER = {
  code: 'no_solver',
  reason: 'a grab needs a ticket here, and a ticket needs a solved challenge: expected the option solve',
} as const;
const CLOSED = { code: 'closed', reason: 'this client was closed' };

/** @throws TypeError when an option is invalid */
export function createRainClient(options: RainClientOptions): RainClient {
  return new Client(options);
}

/** Told to one session. */
type OwnMessage = Extract<
  ServerMessage,
  { type: 'ticket' | 'challenge' | 'result' | 'credited' | 'order' | 'receipt_status' }
>;

class Client implements RainClient {
  readonly #events = new Events<RainEvents>();
  readonly #rains = new Map<string, RainSession>();
  readonly #sales = new Map<string, SaleSession>();
  readonly #welcomed = new Deferred<WelcomeMessage | RainRefused>();
  readonly #clock: ServerClock;
  readonly #connection: Connection;
  #stopHeartbeat: () => void = () => {};
  readonly #ping: () => void;
  readonly #createRain: (rainId: string) => RainSession;
  readonly #createSale: (saleId: string) => SaleSession;
  #welcome: WelcomeMessage | undefined;

  constructor({
    url,
    token,
    WebSocket = globalSocket(),
    solve,
    receipts,
    random = Math.random,
    now = () => performance.now(),
    serverTime = Date.now(),
  }: RainClientOptions) {
    if (!isSocketAddress(url))
      throw new TypeError(`url: expected a ws:// or wss:// address, got ${JSON.stringify(url)}`);
    if (!WebSocket)
      throw new TypeError("WebSocket: missing, because there is no global WebSocket here; use the one of 'ws'");
    this.#clock = new ServerClock(now, serverTime);
    this.#connection = new Connection({
      url,
      tokens: new Tokens(token, () => this.#clock.now()),
      WebSocket,
      random,
      now,
      onMessage: (message) => this.#receive(message),
      onWake: () => this.#onWake(),
      onLink: (link, code) => this.#onLink(link, code),
    });
    this.#ping = () => this.#connection.send({ type: 'ping', t: now() });
    const common = {
      random,
      now: () => this.#clock.now(),
      solve:
        solve ??
        (async () => {
          this.#events.emit('error', NO_SOLVER);
          return undefined;
        }),
      send: (message: Parameters<Connection['send']>[0]) => this.#connection.send(message),
    };
    this.#createSale = (saleId) =>
      new SaleSession({
        ...common,
        saleId,
        onBuying: (purchase, why) => this.#events.emit('buying', { saleId, ...purchase, why }),
        onOrder: (order) => this.#events.emit('order', { saleId, ...order }),
      });
    this.#createRain = (rainId) =>
      new RainSession({
        ...common,
        rainId,
        readReceipt: () => (this.userId === undefined ? undefined : receipts?.read(rainId, this.userId)),
        writeReceipt: (receipt) => {
          if (this.userId !== undefined) receipts?.write(rainId, this.userId, receipt);
        },
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

  async connect({ signal }: Abortable = {}): Promise<WelcomeMessage> {
    if (this.link === 'up' && this.#welcome) return this.#welcome;
    const welcomed = this.#welcomed.wait(signal, () => this.#connection.stop());
    if (!signal?.aborted) this.#connection.start();
    const answer = await welcomed;
    if (answer instanceof RainRefused) throw answer;
    return answer;
  }

  close(): void {
    this.#connection.stop();
    for (const session of this.#sessions) session.end(CLOSED);
    this.#rains.clear();
    this.#sales.clear();
  }

  renew(): void {
    this.#connection.renew();
  }

  join(rainId: string, { signal }: Abortable = {}): Promise<Joined> {
    return this.#rainSession(rainId).join(signal);
  }

  leave(rainId: string): void {
    this.#rains.get(rainId)?.end({ code: 'left', reason: 'this rain was left' });
    this.#rains.delete(rainId);
  }

  grab(rainId: string, { signal }: Abortable = {}): Promise<GrabOutcome> {
    return this.#rainSession(rainId).grab(signal);
  }

  rain(rainId: string): RainSnapshot | undefined {
    return this.#rains.get(rainId)?.rain;
  }

  visit(saleId: string, { signal }: Abortable = {}): Promise<Visited> {
    return this.#saleSession(saleId).visit(signal);
  }

  leaveSale(saleId: string): void {
    this.#sales.get(saleId)?.end({ code: 'left', reason: 'this sale was left' });
    this.#sales.delete(saleId);
  }

  buy(saleId: string, purchase: Purchase, { signal }: Abortable = {}): Promise<BuyOutcome> {
    return this.#saleSession(saleId).buy(purchase, signal);
  }

  cancel(saleId: string, reservationId: string, { signal }: Abortable = {}): Promise<CancelOutcome> {
    return this.#saleSession(saleId).cancel(reservationId, signal);
  }

  sale(saleId: string): SaleSnapshot | undefined {
    return this.#sales.get(saleId)?.sale;
  }

  orders(saleId: string): Order[] {
    return this.#sales.get(saleId)?.orders ?? [];
  }

  serverNow(): number {
    return this.#clock.now();
  }

  on<Name extends keyof RainEvents>(name: Name, listener: (event: RainEvents[Name]) => void): () => void {
    return this.#events.on(name, listener);
  }

  get #sessions(): (RainSession | SaleSession)[] {
    return [...this.#rains.values(), ...this.#sales.values()];
  }

  #rainSession(rainId: string): RainSession {
    return this.#rains.get(rainId) ?? this.#open(this.#rains, rainId, this.#createRain(rainId));
  }

  #saleSession(saleId: string): SaleSession {
    return this.#sales.get(saleId) ?? this.#open(this.#sales, saleId, this.#createSale(saleId));
  }

  #open<Session extends RainSession | SaleSession>(
    sessions: Map<string, Session>,
    id: string,
    session: Session,
  ): Session {
    sessions.set(id, session);
    if (this.link === 'up') session.connected();
    return session;
  }

  #receive(message: ServerMessage): void {
    switch (message.type) {
      case 'welcome':
        return this.#onWelcome(message);
      case 'pong':
        return this.#clock.answered(message.serverTime, message.t);
      case 'rain':
        this.#clock.estimate(message.serverTime);
        this.#rains.get(message.rainId)?.receiveRain(message);
        return this.#events.emit('rain', message);
      case 'ticket':
      case 'challenge':
      case 'result':
      case 'credited':
      case 'order':
      case 'receipt_status':
        return this.#receiveOwn(message);
      case 'sale':
        this.#clock.estimate(message.serverTime);
        this.#sales.get(message.saleId)?.receiveSale(message);
        return this.#events.emit('sale', message);
      case 'restock':
        return this.#events.emit('restock', message);
      case 'winners':
        return this.#events.emit('winners', message);
      case 'goodbye':
        return this.#events.emit('goodbye', message);
      case 'error':
        return this.#onError(message);
      // A message type of a newer server.
      default:
        return message satisfies never;
    }
  }

  /** Only the session of its rain or sale gets it. */
  #receiveOwn(message: OwnMessage): void {
    switch (message.type) {
      case 'ticket':
      case 'challenge':
        return (
          message.saleId === undefined ? this.#rains.get(message.rainId) : this.#sales.get(message.saleId)
        )?.receiveTicket(message);
      case 'result':
        return this.#rains.get(message.rainId)?.receiveResult(message);
      case 'credited':
        return this.#rains.get(message.rainId)?.receiveCredited(message);
      case 'order':
        return this.#sales.get(message.saleId)?.receiveOrder(message);
      case 'receipt_status':
        return this.#rains.get(message.rainId)?.receiveReceiptStatus(message);
      default:
        return message satisfies never;
    }
  }

  #onWelcome(welcome: WelcomeMessage): void {
    this.#clock.estimate(welcome.serverTime);
    const before = this.#welcome?.userId;
    this.#welcome = welcome;
    for (const session of this.#sessions) {
      if (before !== undefined && before !== welcome.userId) session.forget();
      session.connected();
    }
    this.#events.emit('welcome', welcome);
    this.#welcomed.resolve(welcome);
  }

  #onError(message: ErrorMessage): void {
    if (message.code === 'not_solved') for (const session of this.#sessions) session.receiveNotSolved();
    if (message.code === 'not_allowed') for (const session of this.#sessions) session.refuse(message);
    this.#events.emit('error', message);
  }

  #onWake(): void {
    this.#clock.doubt();
    this.#ping();
    for (const session of this.#sessions) session.wake();
  }

  #onLink(link: Link, code?: string): void {
    this.#stopHeartbeat();
    if (link === 'up') {
      this.#clock.doubt();
      this.#stopHeartbeat = startHeartbeat(this.#ping);
    } else {
      for (const session of this.#sessions) session.disconnected();
    }
    this.#events.emit('link', { link, ...(code !== undefined && { code }) });
    if (link === 'idle') this.#welcomed.resolve(new RainRefused(CLOSED.code));
    if (link !== 'no_token' && link !== 'refused') return;
    // There will be no further connection: all waiting callers receive the refusal.
    const refused = new RainRefused(code ?? link);
    for (const session of this.#sessions) session.end({ code: refused.code, reason: refused.message });
    this.#welcomed.resolve(refused);
  }
}
