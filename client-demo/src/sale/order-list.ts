import type { SaleWords } from '../words/sale/en.ts';
import { part, put } from './markup.ts';
import { OrderCard, type OrderActions } from './order-card.ts';
import { isFree, isWaiting, type OrderView } from './order-view.ts';
import { wordsFor, type Prices } from './prices.ts';

/** Decided orders that are shown before the buyer asks for all. */
const DECIDED_SHOWN = 3;

/** "My orders": what waits for the buyer first. */
export class OrderList {
  readonly #section: HTMLElement;
  readonly #words: SaleWords;
  readonly #newCard: (reservationId: string) => OrderCard;
  readonly #cards = new Map<string, OrderCard>();
  #all = false;
  #shown: readonly OrderView[] = [];

  constructor(section: HTMLElement, words: SaleWords, prices: Prices, actions: OrderActions) {
    this.#section = section;
    this.#words = words;
    this.#newCard = (reservationId) => new OrderCard(reservationId, words, prices, actions);
    part(section, '.sale-more-orders').addEventListener('click', () => {
      this.#all = true;
      this.show(this.#shown);
      part(section, 'ol').querySelector<HTMLElement>('li:last-child')?.focus();
    });
  }

  show(orders: readonly OrderView[]): void {
    this.#shown = orders;
    this.#forgetOthers(orders);
    this.#section.hidden = orders.length === 0;
    const isGift = orders.every(({ total }) => isFree(total));
    put(this.#section, 'h2', wordsFor(isGift, this.#words).orders);
    const decided = orders.filter((order) => !isWaiting(order));
    const hidden = new Set(this.#all ? [] : decided.slice(DECIDED_SHOWN));
    part(this.#section, '.sale-more-orders').hidden = hidden.size === 0;
    put(this.#section, '.sale-more-orders', this.#words.moreOrders(hidden.size));
    orders.forEach((order, index) => this.#showOrder(order, index, hidden.has(order)));
  }

  #showOrder(order: OrderView, index: number, hidden: boolean): void {
    const list = part(this.#section, 'ol');
    const known = this.#cards.get(order.reservationId);
    const card = known ?? this.#newCard(order.reservationId);
    this.#cards.set(order.reservationId, card);
    card.show(order);
    card.root.hidden = hidden;
    if (list.children[index] === card.root) return;
    const hadFocus = card.root.contains(document.activeElement);
    list.insertBefore(card.root, list.children[index] ?? null);
    // A moved element loses the focus.
    if (hadFocus) card.root.focus({ preventScroll: true });
    // The buyer may have scrolled down to the item.
    if (!known && isWaiting(order)) this.#section.scrollIntoView({ block: 'nearest' });
  }

  /** Another guest than before has other orders. */
  #forgetOthers(orders: readonly OrderView[]): void {
    const kept = new Set(orders.map(({ reservationId }) => reservationId));
    for (const [id, { root }] of this.#cards) {
      if (kept.has(id)) continue;
      root.remove();
      this.#cards.delete(id);
    }
  }
}
