import { WebSocket } from 'ws';
import { BEARER_PREFIX, SUBPROTOCOL } from '../../../src/protocol/constants.ts';
import type { ServerMessage } from '../../../src/protocol/messages.ts';
import type { OrderStatus } from '../../../src/sale/order.ts';
import { tokenFor } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';

/** The answer to a buyer about one reservation. */
interface ToldReservation {
  userId: string;
  reservationId: string;
  sku: string;
  quantity: number;
  price: string;
  /** Every status in the order in which it was heard first. */
  statuses: OrderStatus[];
  /** Every status as often as it was heard, in order. */
  heard: OrderStatus[];
  /** Epoch ms of the first answer, and since when the buyer knows that the order is created. */
  at: number;
  createdAt?: number;
}

interface Wish {
  sku: string;
  quantity: number;
  ref: string;
}

/** Between two asks of a buyer who is to come again, and between two connections, ms. */
const PAUSE_MS = 250;
/** A gateway that says nothing for so long is taken for dead, ms. */
const SILENCE_MS = 4_000;
const AGAIN: ReadonlySet<string> = new Set(['-7', '-5', '-4', '-2']);

class Buyer {
  readonly told = new Map<string, ToldReservation>();
  readonly wrong: string[] = [];
  /** The last code of the answer to each wish, by its ref; only final ones. */
  readonly answers = new Map<string, string>();
  readonly userId: string;
  readonly #saleId: string;
  readonly #urls: readonly string[];
  readonly #wishes = new Map<string, Wish>();
  #socket: WebSocket | undefined;
  #left = false;
  #visits: Promise<void> | undefined;
  #timers = new Set<NodeJS.Timeout>();
  #turn: number;

  constructor(userId: string, saleId: string, urls: readonly string[], turn: number) {
    this.userId = userId;
    this.#saleId = saleId;
    this.#urls = urls;
    this.#turn = turn;
  }

  wish(wish: Wish): void {
    this.#wishes.set(wish.ref, wish);
    this.#visits ??= this.#stay();
    this.#ask(wish);
  }

  say(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** On one socket after another until the buyer leaves: who is told of a reservation hears what becomes of it. */
  async #stay(): Promise<void> {
    const token = await tokenFor(this.userId);
    while (!this.#left) {
      await this.#visit(token);
      await new Promise((resolve) => {
        this.#after(PAUSE_MS, () => resolve(undefined));
      });
    }
  }

  #visit(token: string): Promise<void> {
    return new Promise((resolve) => {
      const socket = new WebSocket(
        this.#urls[this.#turn++ % this.#urls.length]!,
        [SUBPROTOCOL, BEARER_PREFIX + token],
        { handshakeTimeout: SILENCE_MS, perMessageDeflate: false },
      );
      this.#socket = socket;
      socket.on('error', () => {});
      socket.on('unexpected-response', () => socket.terminate());
      socket.on('open', () => {
        this.say({ type: 'visit', saleId: this.#saleId });
        for (const wish of this.#wishes.values()) this.#ask(wish);
      });
      socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as ServerMessage));
      socket.on('close', () => resolve());
    });
  }

  #ask(wish: Wish): void {
    if (this.answers.has(wish.ref) || this.#left || this.#socket?.readyState !== WebSocket.OPEN) return;
    const socket = this.#socket;
    this.say({ type: 'buy', saleId: this.#saleId, ...wish });
    this.#after(SILENCE_MS, () => {
      if (!this.answers.has(wish.ref) && this.#socket === socket) socket.terminate();
    });
  }

  #hear(message: ServerMessage): void {
    if (message.type === 'error')
      return void this.wrong.push(`${this.userId} was told the error ${message.code}: ${message.reason}`);
    if (message.type !== 'order' || message.saleId !== this.#saleId) return;
    const { ref, code, reservationId, sku, quantity, price, status } = message;
    if (reservationId !== undefined && status !== undefined)
      this.#note({ reservationId, sku, quantity, price, status });
    if (ref === undefined || !this.#wishes.has(ref)) return;
    if (AGAIN.has(code)) this.#after(PAUSE_MS, () => this.#ask(this.#wishes.get(ref)!));
    else if (!this.answers.has(ref)) this.answers.set(ref, code);
    else if ((code === '0' || code === '1') !== ['0', '1'].includes(this.answers.get(ref)!))
      this.wrong.push(`${this.userId} was answered ${this.answers.get(ref)} and then ${code} for ${ref}`);
  }

  #note({
    reservationId,
    sku = '',
    quantity = 0,
    price = '',
    status,
  }: {
    reservationId: string;
    sku: string | undefined;
    quantity: number | undefined;
    price: string | undefined;
    status: OrderStatus;
  }): void {
    const known = this.told.get(reservationId) ?? {
      userId: this.userId,
      reservationId,
      sku,
      quantity,
      price,
      statuses: [],
      heard: [],
      at: Date.now(),
    };
    this.told.set(reservationId, known);
    known.heard.push(status);
    if (!known.statuses.includes(status)) known.statuses.push(status);
    if (status !== 'reserved') known.createdAt ??= Date.now();
  }

  #after(ms: number, act: () => void): void {
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer);
        act();
      },
      this.#left ? 0 : ms,
    );
    this.#timers.add(timer);
  }

  async leave(): Promise<void> {
    this.#left = true;
    this.#socket?.terminate();
    await this.#visits;
    for (const timer of this.#timers) clearTimeout(timer);
  }
}

/**
 * Buyers on real sockets who only buy, stay, come back when they are cut off, and remember everything that they were
 * told.
 */
export class HonestBuyers {
  readonly #buyers = new Map<string, Buyer>();
  readonly #saleId: string;
  readonly #urls: readonly string[];

  constructor(gatewayUrls: readonly string[], saleId: string) {
    this.#urls = gatewayUrls;
    this.#saleId = saleId;
  }

  /** Each of these users wishes to buy; the answers are heard later. */
  wish(userIds: readonly string[], { sku = 'tee', quantity = 1, ref = 'r' }: Partial<Wish> = {}): void {
    for (const userId of userIds) {
      const buyer = this.#buyers.get(userId) ?? new Buyer(userId, this.#saleId, this.#urls, this.#buyers.size);
      this.#buyers.set(userId, buyer);
      buyer.wish({ sku, quantity, ref });
    }
  }

  /** The same, until each has a final answer, at most this long. */
  async buy(
    userIds: readonly string[],
    { forMs = 5_000, ...wish }: Partial<Wish> & { forMs?: number } = {},
  ): Promise<void> {
    this.wish(userIds, wish);
    await eventually(() => this.unanswered().length === 0, { timeoutMs: forMs }).catch(() => {});
  }

  /** A buyer asks for the cancellation of an order, if he has been told of it. */
  cancel(userId: string, reservationId: string): void {
    const buyer = this.#buyers.get(userId)!;
    if (buyer.told.has(reservationId)) buyer.say({ type: 'cancel', saleId: this.#saleId, reservationId });
  }

  unanswered(): string[] {
    return [...this.#buyers.values()].filter(({ answers }) => answers.size === 0).map(({ userId }) => userId);
  }

  told(): ToldReservation[] {
    return [...this.#buyers.values()].flatMap(({ told }) => [...told.values()]);
  }

  /** Answers that no honest gateway gives. */
  wrong(): string[] {
    return [...this.#buyers.values()].flatMap(({ wrong }) => wrong);
  }

  async leave(): Promise<void> {
    await Promise.all([...this.#buyers.values()].map((buyer) => buyer.leave()));
  }
}
