import type { Link, Order, RainClient, RainEvents, SaleSnapshot } from '../../../src/client/client.ts';
import type { Cue } from '../sound/cues.ts';
import { OpenPurchases } from './open-purchases.ts';
import { isGone, itemView, type ItemView, type Miss } from './item-view.ts';
import {
  inOrder,
  isFree,
  orderView,
  type Cancelling,
  type OrderView,
  type PayConfig,
  type Paying,
} from './order-view.ts';
import type { Bells } from './bells.ts';

export interface SaleView {
  title?: string;
  /** Absent until the first snapshot. */
  state?: SaleSnapshot['state'];
  /** Whole seconds until it opens, or until an open one ends. */
  seconds?: number;
  /** All items are free. */
  free?: true;
  /** Absent where nothing is to be paid. */
  holdSeconds?: number;
  rehearsal: boolean;
  /** The sale cannot be shown: the code of the server. */
  refused?: string;
  lost: boolean;
  items: ItemView[];
  orders: OrderView[];
  /** The name of the item that has come back last, while its bell was on. */
  rang?: string;
}

interface SaleVisitOptions {
  client: RainClient;
  saleId: string;
  pay: PayConfig;
  bells: Bells;
  /** Starts the payment in the demo. Rejects if it was not accepted. */
  payHere: (reservationId: string) => Promise<void>;
  onCue: (cue: Cue) => void;
  /** The buyer has got a free item. */
  onGift: () => void;
  /** Units of an item are back whose bell was on. */
  onRing: () => void;
}

/** A payment that was accepted is told by the order. When that does not come, it may be asked for again, ms. */
const PAID_MS_MAX = 10_000;

/** The buyer's state machine in one sale: client events go in, views for the screen come out. */
export class SaleVisit {
  readonly #options: SaleVisitOptions;
  readonly #purchases = new OpenPurchases();
  readonly #misses = new Map<string, Miss>();
  /** Units have come back since the buyer was told that none was left. */
  readonly #back = new Set<string>();
  /** By SKU: units that are left by a message that is newer than the snapshot. */
  readonly #restocked = new Map<string, number>();
  readonly #quantities = new Map<string, number>();
  readonly #paying = new Map<string, Paying>();
  readonly #cancelling = new Map<string, Cancelling>();
  /** By SKU: what the last snapshot said of it; empty after a reconnect. */
  readonly #left = new Map<string, number>();
  readonly #stops: (() => void)[];
  #link: Link;
  #userId: string | undefined;
  #refused: string | undefined;
  /** The SKU whose bell has rung. */
  #rang: string | undefined;

  constructor(options: SaleVisitOptions) {
    this.#options = options;
    const { client, saleId } = options;
    this.#link = client.link;
    this.#userId = client.userId;
    const listen = <Name extends 'sale' | 'order' | 'restock' | 'buying'>(
      name: Name,
      listener: (event: RainEvents[Name]) => void,
    ) =>
      client.on(name, (event) => {
        if (event.saleId === saleId) listener(event);
      });
    this.#stops = [
      client.on('link', ({ link }) => {
        this.#link = link;
        if (link !== 'up') this.#left.clear();
      }),
      client.on('welcome', ({ userId }) => this.#onUser(userId)),
      listen('sale', (sale) => this.#onSale(sale)),
      listen('restock', ({ sku, left }) => {
        this.#restocked.set(sku, left);
        this.#onBack(sku);
      }),
      listen('buying', ({ sku, why }) => this.#purchases.progress(sku, why)),
      listen('order', (order) => this.#onOrder(order)),
    ];
    void client.visit(saleId).then((visited) => {
      if (visited.kind === 'refused') this.#refused = visited.code;
    });
  }

  get saleId(): string {
    return this.#options.saleId;
  }

  leave(): void {
    for (const stop of this.#stops) stop();
    this.#options.client.leaveSale(this.saleId);
  }

  async buy(sku: string): Promise<void> {
    const item = this.view().items.find((one) => one.sku === sku);
    if (!item || (item.face !== 'buy' && item.face !== 'gone')) return;
    this.#purchases.begin(sku);
    this.#misses.delete(sku);
    this.#back.delete(sku);
    this.#rang = undefined;
    // It rejects only when too many others have no answer yet: then nothing was bought either.
    const outcome = await this.#options.client
      .buy(this.saleId, { sku, quantity: item.quantity })
      .catch((): Miss => ({ kind: 'unanswered' }));
    this.#purchases.end(sku);
    if (outcome.kind === 'reserved' || outcome.kind === 'already_reserved') {
      this.#quantities.delete(sku);
      this.#options.bells.set(sku, false);
      if (isFree(item.price)) this.#options.onGift();
      return this.#options.onCue('win');
    }
    this.#misses.set(sku, outcome);
    if (isGone(outcome)) this.#options.onCue('miss');
  }

  choose(sku: string, quantity: number): void {
    this.#quantities.set(sku, quantity);
    if (this.#misses.get(sku)?.kind === 'too_few_left') this.#misses.delete(sku);
  }

  turnBell(sku: string): void {
    this.#options.bells.set(sku, !this.#options.bells.isOn(sku));
  }

  async pay(reservationId: string): Promise<void> {
    if (this.#paying.get(reservationId) === 'sent') return;
    this.#paying.set(reservationId, 'sent');
    try {
      await this.#options.payHere(reservationId);
      setTimeout(() => this.#paying.delete(reservationId), PAID_MS_MAX);
    } catch {
      this.#paying.set(reservationId, 'failed');
    }
  }

  async cancel(reservationId: string): Promise<void> {
    if (this.#cancelling.get(reservationId) === 'sent') return;
    this.#cancelling.set(reservationId, 'sent');
    const { kind } = await this.#options.client
      .cancel(this.saleId, reservationId)
      .catch((): Miss => ({ kind: 'unanswered' }));
    // Otherwise the order shows how it was decided.
    if (this.#orders.find((order) => order.reservationId === reservationId)?.status === kind)
      this.#cancelling.delete(reservationId);
    else this.#cancelling.set(reservationId, 'failed');
  }

  view(): SaleView {
    const { client, pay, bells } = this.#options;
    const sale = client.sale(this.saleId);
    const now = client.serverNow();
    const orders = this.#orders;
    const common = {
      lost: this.#link === 'lost',
      rehearsal: sale?.rehearsal === true,
      ...(this.#rang !== undefined && { rang: sale?.items.find(({ sku }) => sku === this.#rang)?.name ?? this.#rang }),
      orders: inOrder(orders).map((order) =>
        orderView(
          order,
          sale,
          pay,
          { paying: this.#paying.get(order.reservationId), cancelling: this.#cancelling.get(order.reservationId) },
          now,
        ),
      ),
    };
    if (!sale) return { ...common, items: [], ...(this.#refused !== undefined && { refused: this.#refused }) };
    const until =
      sale.state === 'loaded' || sale.state === 'draft'
        ? sale.opensAt
        : sale.state === 'open'
          ? sale.closesAt
          : undefined;
    return {
      ...common,
      title: sale.title,
      state: sale.state,
      ...(sale.items.every(({ price }) => isFree(price))
        ? { free: true as const }
        : { holdSeconds: Math.round(sale.holdMs / 1000) }),
      ...(until !== undefined && { seconds: Math.max(0, Math.ceil((until - now) / 1000)) }),
      items: sale.items.map((item) =>
        itemView(sale, { ...item, left: this.#restocked.get(item.sku) ?? item.left }, orders, {
          progress: this.#purchases.of(item.sku),
          miss: this.#misses.get(item.sku),
          back: this.#back.has(item.sku),
          bell: bells.isOn(item.sku),
          quantity: this.#quantities.get(item.sku),
        }),
      ),
    };
  }

  get #orders(): Order[] {
    return this.#options.client.orders(this.saleId);
  }

  /** Another guest than before: what was told belongs to the other one. */
  #onUser(userId: string): void {
    if (this.#userId !== undefined && this.#userId !== userId)
      for (const told of [this.#misses, this.#paying, this.#cancelling, this.#back]) told.clear();
    this.#userId = userId;
  }

  #onSale({ items }: SaleSnapshot): void {
    this.#refused = undefined;
    this.#restocked.clear();
    for (const { sku, left } of items) {
      // After a reconnect another gateway may not know that this buyer waits: then the snapshot tells of units.
      if (
        left > 0 &&
        (this.#left.get(sku) ?? 0) === 0 &&
        (isGone(this.#misses.get(sku)) || this.#options.bells.isOn(sku))
      )
        this.#onBack(sku);
      this.#left.set(sku, left);
      if (left === 0 && this.#rang === sku) this.#rang = undefined;
    }
  }

  #onBack(sku: string): void {
    if (isGone(this.#misses.get(sku))) this.#misses.delete(sku);
    this.#back.add(sku);
    if (!this.#options.bells.isOn(sku)) return;
    this.#options.bells.set(sku, false);
    this.#rang = sku;
    this.#options.onCue('go');
    this.#options.onRing();
  }

  #onOrder({ reservationId, status }: Order): void {
    if (status !== 'paid' || !this.#paying.delete(reservationId)) return;
    this.#options.onCue('credited');
  }
}
