import { retryOf, type Outcome } from '../protocol/outcomes.ts';
import { SALE_OUTCOMES } from '../protocol/saleOutcomes.ts';
import type { OrderMessage } from '../protocol/saleMessages.ts';
import { buyOutcomeOf, refusalOf, type BuyOutcome, type CancelOutcome } from './buyOutcome.ts';
import { Deferred } from './deferred.ts';
import { isDecided, type Order } from './orders.ts';
import { Retries } from './retries.ts';
import type { Signal } from './signal.ts';

/** How a message about a sale says when to ask again. */
export const saleRetryOf = (message: Pick<OrderMessage, 'code' | 'retryInMs'>): Outcome['retry'] =>
  retryOf(message, SALE_OUTCOMES);

type RequestOptions = Omit<ConstructorParameters<typeof Retries>[0], 'onUnanswered'> & {
  /** The request is over, with or without an answer. */
  onEnd: (answered: boolean) => void;
};

/** One request about a sale, repeated until it has an answer [R6]. */
abstract class SaleRequest<Result> {
  protected readonly retries: Retries;
  readonly #onEnd: (answered: boolean) => void;
  readonly #outcome = new Deferred<Result>();
  readonly #unanswered: Result;

  constructor({ onEnd, ...options }: RequestOptions, unanswered: Result) {
    this.#onEnd = onEnd;
    this.#unanswered = unanswered;
    this.retries = new Retries({ ...options, onUnanswered: () => this.end() });
  }

  /** Calls made meanwhile get the same outcome. When the last caller has given up, the request ends. */
  run(signal: Signal | undefined): Promise<Result> {
    const outcome = this.#outcome.wait(signal, () => this.end());
    if (!signal?.aborted) this.retries.start();
    return outcome;
  }

  connected(): void {
    this.retries.connected();
  }

  wake(): void {
    this.retries.wake();
  }

  /** Ends without an answer. */
  end(): void {
    this.retries.cancel();
    this.#onEnd(false);
    this.#outcome.resolve(this.#unanswered);
  }

  protected settle(result: Result): void {
    this.retries.cancel();
    this.#onEnd(true);
    this.#outcome.resolve(result);
  }
}

/** All attempts of one purchase carry the same ref, so that it is bought once. */
export class BuyRequest extends SaleRequest<BuyOutcome> {
  readonly #isOwn: boolean;

  /** @param isOwn the client has made the ref: whatever is reserved under it, this purchase has reserved */
  constructor(options: RequestOptions, isOwn: boolean) {
    super(options, { kind: 'unanswered' });
    this.#isOwn = isOwn;
  }

  /** @param message with the ref of this purchase; `order`: what it tells of */
  receive(message: OrderMessage, order: Order | undefined): void {
    this.retries.answered();
    // A newer server may have a code for a reservation that this client does not know: the reservation is what counts.
    if (this.retries.receive(message, order ? 'no' : saleRetryOf(message)))
      this.settle(buyOutcomeOf(message, order, this.#isOwn || this.retries.doubtful));
  }
}

/** Asks until the order is decided: the ledger may take its time. */
export class CancelRequest extends SaleRequest<CancelOutcome> {
  constructor(options: RequestOptions) {
    super(options, { kind: 'unanswered' });
  }

  /** The order's status was told. The wish is asked again while it is open. */
  receiveOrder(order: Order): void {
    if (isDecided(order)) this.settle({ ...order, kind: order.status } as CancelOutcome);
  }

  receiveRefusal(message: OrderMessage): void {
    if (this.retries.receive(message, saleRetryOf(message))) this.settle(refusalOf(message));
  }
}
