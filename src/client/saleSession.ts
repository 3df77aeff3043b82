import type { ClientMessage, ChallengeMessage, TicketMessage } from '../protocol/messages.ts';
import { stateAt } from '../rain/rain.ts';
import type { Outcome } from '../protocol/outcomes.ts';
import type { OrderMessage, SaleSnapshot } from '../protocol/saleMessages.ts';
import type { Challenge, ChallengeSolution } from '../protocol/proofOfWork.ts';
import { RETRY_MS_MAX } from './backoff.ts';
import type { BuyOutcome, CancelOutcome } from './buyOutcome.ts';
import { Deferred } from './deferred.ts';
import { Orders, type Order } from './orders.ts';
import { checkPurchase, checkUnderWay, PurchaseRefs, type NamedPurchase, type Purchase } from './purchase.ts';
import { BuyRequest, CancelRequest, saleRetryOf } from './saleRequest.ts';
import { throwIfAborted, type Signal } from './signal.ts';
import { TicketHolder } from './ticket.ts';

const VISIT_AGAIN_MS = 1_500;

/** How a visit ended; `code` and `reason` are from the table of codes. */
export type Visited = { kind: 'visited'; sale: SaleSnapshot } | { kind: 'refused'; code: string; reason: string };

/**
 * State of a purchase: sent, or the code of the answer after which it is repeated; `preparing`: it waits for its
 * ticket.
 */
export type OpenPurchase = 'sent' | 'preparing' | Outcome['code'];

interface SaleSessionOptions {
  saleId: string;
  /** Epoch ms by the server's clock. */
  now: () => number;
  random: () => number;
  solve: (challenge: Challenge) => Promise<ChallengeSolution | undefined>;
  send: (message: ClientMessage) => boolean;
  onBuying: (purchase: NamedPurchase, why: OpenPurchase) => void;
  /** An order is new, or its status or place has changed. */
  onOrder: (order: Order) => void;
}

/** One user in one sale: its snapshot, the ticket, the orders, and what is asked for. It outlives connections. */
export class SaleSession {
  readonly #options: SaleSessionOptions;
  readonly #ticketHolder: TicketHolder;
  readonly #orders: Orders;
  readonly #refs = new PurchaseRefs();
  /** By ref, and by the id of the reservation. */
  readonly #purchases = new Map<string, BuyRequest>();
  readonly #cancels = new Map<string, CancelRequest>();
  /** Orders of which too little was told on this connection. */
  readonly #askedAbout = new Set<string>();
  readonly #visited = new Deferred<Visited>();
  #sale: SaleSnapshot | undefined;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(options: SaleSessionOptions) {
    this.#options = options;
    const { saleId, now, send, solve, random } = options;
    this.#orders = new Orders(options.onOrder);
    this.#ticketHolder = new TicketHolder({
      id: { rainId: saleId, saleId },
      now,
      send,
      solve,
      onUnsolved: () => this.#visitAgain(),
      random,
      onDue: () => this.#visit(),
    });
  }

  /** The last snapshot, with the state computed from the server's clock by the server's own rule [R7]. */
  get sale(): SaleSnapshot | undefined {
    const sale = this.#sale;
    return (
      sale && {
        ...sale,
        state: stateAt({ ...sale, state: sale.state === 'open' ? 'loaded' : sale.state }, this.#options.now()),
      }
    );
  }

  get orders(): Order[] {
    return this.#orders.all();
  }

  get #requests(): (BuyRequest | CancelRequest)[] {
    return [...this.#purchases.values(), ...this.#cancels.values()];
  }

  visit(signal?: Signal): Promise<Visited> {
    const { sale } = this;
    return sale ? Promise.resolve({ kind: 'visited', sale }) : this.#visited.wait(signal);
  }

  /** Two purchases with one ref are one request. */
  async buy(purchase: Purchase, signal: Signal | undefined): Promise<BuyOutcome> {
    checkPurchase(purchase);
    throwIfAborted(signal);
    const named = this.#refs.name(purchase);
    let request = this.#purchases.get(named.ref);
    if (!request) {
      checkUnderWay(this.#purchases.size);
      this.#purchases.set(named.ref, (request = this.#buyRequest(named)));
    }
    return request.run(signal);
  }

  async cancel(reservationId: string, signal: Signal | undefined): Promise<CancelOutcome> {
    throwIfAborted(signal);
    let request = this.#cancels.get(reservationId);
    if (!request) {
      checkUnderWay(this.#cancels.size);
      this.#cancels.set(reservationId, (request = this.#cancelRequest(reservationId)));
    }
    return request.run(signal);
  }

  connected(): void {
    this.#askedAbout.clear();
    this.#visit();
    for (const request of this.#requests) request.connected();
  }

  /** Timers stood still while the device slept, and messages may be lost: the visit is answered by all of it. */
  wake(): void {
    this.#ticketHolder.rest();
    this.#visit();
    for (const request of this.#requests) request.wake();
  }

  disconnected(): void {
    clearTimeout(this.#again);
    this.#ticketHolder.rest();
  }

  /** The user has changed: what belongs to the previous one is dropped. */
  forget(): void {
    this.#endRequests();
    this.#orders.forget();
    this.#refs.forget();
    this.#ticketHolder.forget();
  }

  /** @param refused the answer to pending visits */
  end(refused: { code: string; reason: string }): void {
    this.disconnected();
    this.#endRequests();
    this.refuse(refused);
  }

  refuse({ code, reason }: { code: string; reason: string }): void {
    this.#visited.resolve({ kind: 'refused', code, reason });
  }

  receiveSale(sale: SaleSnapshot): void {
    this.#sale = sale;
    if (sale.state === 'closed' || sale.state === 'settled') this.#ticketHolder.forget();
    else this.#ticketHolder.follow(sale);
    this.#visited.resolve({ kind: 'visited', sale });
  }

  receiveTicket(message: TicketMessage | ChallengeMessage): void {
    this.#ticketHolder.receive(message);
  }

  /** The gateway rejected a solution because the challenge had expired. A new visit brings another. */
  receiveNotSolved(): void {
    if (this.#ticketHolder.preparing) this.#visitAgain();
  }

  receiveOrder(message: OrderMessage): void {
    const order = this.#orders.receive(message);
    if (message.ref !== undefined) this.#onAnswer(message.ref, message, order);
    if (order) this.#cancels.get(order.reservationId)?.receiveOrder(order);
    else if (message.reservationId !== undefined && message.status !== undefined) this.#askAbout(message.reservationId);
    else if (message.ref === undefined) this.#onRefusal(message);
  }

  /**
   * The gateway could not read what was bought. A visit tells all of it; asked once, so that a server that never knows
   * is not asked for ever.
   */
  #askAbout(reservationId: string): void {
    if (this.#askedAbout.has(reservationId)) return;
    this.#askedAbout.add(reservationId);
    this.#visitAgain();
  }

  #onAnswer(ref: string, message: OrderMessage, order: Order | undefined): void {
    const request = this.#purchases.get(ref);
    if (request) request.receive(message, order);
    else if (order) this.#refs.answered(ref);
  }

  /**
   * The refusal of a cancellation that names its reservation; otherwise of the visit, and perhaps of a cancellation.
   */
  #onRefusal(message: OrderMessage): void {
    const { reservationId } = message;
    const named = reservationId === undefined ? undefined : this.#cancels.get(reservationId);
    for (const request of named ? [named] : [...this.#cancels.values()]) request.receiveRefusal(message);
    if (reservationId !== undefined) return;
    if (saleRetryOf(message) === 'after a pause') this.#visitAgain(message.retryInMs);
    else this.refuse(message);
  }

  #buyRequest({ sku, quantity, ref }: NamedPurchase): BuyRequest {
    const { saleId, now, random, send, onBuying } = this.#options;
    const told = (why: OpenPurchase) => onBuying({ sku, quantity, ref }, why);
    return new BuyRequest(
      {
        random,
        onWait: told,
        isReady: () => !this.#ticketHolder.preparing,
        onNoTicket: () => {
          this.#ticketHolder.lose();
          this.#visit();
        },
        untilOpen: () => (this.#sale?.opensAt ?? 0) - now(),
        send: () => {
          const sent = send({ type: 'buy', saleId, sku, quantity, ref, ...this.#ticketHolder.carried() });
          if (sent) told('sent');
          return sent;
        },
        onEnd: (answered) => {
          this.#purchases.delete(ref);
          if (answered) this.#refs.answered(ref);
          else this.#ticketHolder.stopWaiting();
        },
      },
      this.#refs.isOwn(ref),
    );
  }

  #cancelRequest(reservationId: string): CancelRequest {
    const { saleId, random, send } = this.#options;
    return new CancelRequest({
      random,
      onWait: () => {},
      onNoTicket: () => {},
      isReady: () => true,
      untilOpen: () => 0,
      send: () => send({ type: 'cancel', saleId, reservationId }),
      onEnd: () => {
        this.#cancels.delete(reservationId);
      },
    });
  }

  #endRequests(): void {
    for (const request of this.#requests) request.end();
  }

  #visit(): void {
    clearTimeout(this.#again);
    this.#options.send({ type: 'visit', saleId: this.#options.saleId, ...this.#ticketHolder.carried() });
  }

  #visitAgain(afterMs = VISIT_AGAIN_MS * (0.5 + this.#options.random())): void {
    clearTimeout(this.#again);
    this.#again = setTimeout(() => this.#visit(), Math.min(afterMs, RETRY_MS_MAX));
  }
}
