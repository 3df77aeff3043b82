import { minutesText } from '../countdown.ts';
import type { SaleWords } from '../words/sale/en.ts';
import { ItemCard, type ItemActions } from './item-card.ts';
import { fromMarkup, part, put, putOrHide } from './markup.ts';
import { OrderList } from './order-list.ts';
import type { OrderActions } from './order-card.ts';
import { wordsFor, type Prices } from './prices.ts';
import { spokenOf } from './spoken.ts';
import type { SaleView } from './visit.ts';

const MARKUP = `
<main class="sale" data-testid="sale">
  <p class="rehearsal" data-testid="sale-rehearsal" hidden></p>
  <header class="sale-head">
    <button type="button" class="tool sale-back" data-testid="sale-back"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M14.5 5.5L8 12l6.5 6.5"/></svg></button>
    <h1 class="sale-title" data-testid="sale-title" tabindex="-1"></h1>
    <button type="button" class="sale-rain" data-testid="sale-rain" hidden></button>
  </header>
  <section class="sale-time">
    <svg class="sale-lantern" aria-hidden="true"><use href="#lantern"/></svg>
    <p class="sale-state" data-testid="sale-state"></p>
    <p class="sale-count" data-testid="sale-count" role="timer"></p>
    <p class="sale-detail" data-testid="sale-detail"></p>
  </section>
  <p class="sale-note" data-testid="sale-note" role="status" hidden></p>
  <p class="sale-rang" data-testid="rang" hidden></p>
  <div class="sale-body">
    <section class="sale-orders" data-testid="orders" hidden><h2></h2><ol></ol><button type="button" class="sale-more-orders" data-testid="more-orders" hidden></button></section>
    <section class="sale-goods" hidden><h2></h2><ul></ul></section>
  </div>
  <p class="sale-hold" data-testid="hold"></p>
  <p class="spoken" data-testid="sale-spoken" role="status" aria-live="assertive"></p>
</main>`;
const DAY_S = 86_400;

type Actions = ItemActions & OrderActions & { back: () => void };

/** Writes views of a sale into its own part of the page. */
export class SaleScreen {
  readonly root = fromMarkup(MARKUP);
  readonly #words: SaleWords;
  readonly #newCard: (sku: string) => ItemCard;
  readonly #cards = new Map<string, ItemCard>();
  readonly #orders: OrderList;
  readonly #prices: Prices;
  #shown = '';
  #before: SaleView | undefined;

  constructor(words: SaleWords, prices: Prices, clock: (at: number) => string, actions: Actions) {
    this.#words = words;
    this.#prices = prices;
    this.#newCard = (sku) => new ItemCard(sku, words, prices, clock, actions);
    this.#orders = new OrderList(part(this.root, '.sale-orders'), words, prices, actions);
    const back = part(this.root, '.sale-back');
    back.setAttribute('aria-label', words.back);
    back.title = words.back;
    back.addEventListener('click', actions.back);
    part(this.root, '.sale-rain').addEventListener('click', actions.back);
  }

  /** May be called every frame: it does nothing if nothing has changed. */
  show(view: SaleView): void {
    const key = JSON.stringify(view);
    if (key === this.#shown) return;
    this.#shown = key;
    const { title, state, free, seconds, holdSeconds, lost, rehearsal, items, orders, rang, refused } = view;
    const {
      state: states,
      stateDetail,
      connecting,
      hold,
      freeHold,
      lost: reconnecting,
      untitled,
      refused: unknownSale,
      notAllowed,
      rang: isBack,
      goods,
      rehearsal: practice,
    } = wordsFor(free, this.#words);
    this.root.dataset['state'] = state ?? (refused === undefined ? 'connecting' : 'refused');
    this.root.dataset['link'] = lost ? 'lost' : 'up';
    putOrHide(this.root, '.rehearsal', rehearsal ? practice : undefined);
    put(this.root, '.sale-goods h2', goods);
    put(this.root, '.sale-title', title ?? untitled);
    put(
      this.root,
      '.sale-state',
      state ? states[state] : refused === undefined ? connecting : refused === 'not_allowed' ? notAllowed : unknownSale,
    );
    putOrHide(this.root, '.sale-count', seconds === undefined ? undefined : this.#countdown(seconds));
    putOrHide(this.root, '.sale-detail', state && stateDetail[state]);
    putOrHide(this.root, '.sale-note', lost ? reconnecting : undefined);
    putOrHide(this.root, '.sale-rang', rang === undefined ? undefined : isBack(rang));
    putOrHide(
      this.root,
      '.sale-hold',
      state === undefined || state === 'closed' || state === 'settled'
        ? undefined
        : holdSeconds === undefined
          ? freeHold
          : hold(holdSeconds),
    );
    this.#orders.show(orders);
    this.#showItems(items);
    const spoken = spokenOf(this.#before, view, this.#words, this.#prices);
    if (spoken !== undefined) put(this.root, '.spoken:last-child', spoken);
    this.#before = view;
  }

  /** A rain that is open, or opens soon, is not to be missed. @param seconds until then */
  showRain(seconds: number | undefined): void {
    const { rainIn, rainOn } = this.#words;
    putOrHide(
      this.root,
      '.sale-rain',
      seconds === undefined ? undefined : seconds > 0 ? rainIn(minutesText(seconds)) : rainOn,
    );
  }

  #showItems(items: SaleView['items']): void {
    const list = part(this.root, '.sale-goods ul');
    part(this.root, '.sale-goods').hidden = items.length === 0;
    items.forEach((item, index) => {
      const card = this.#cards.get(item.sku) ?? this.#newCard(item.sku);
      this.#cards.set(item.sku, card);
      card.show(item, index);
      if (list.children[index] !== card.root) list.insertBefore(card.root, list.children[index] ?? null);
    });
  }

  #countdown(seconds: number): string {
    const days = Math.floor(seconds / DAY_S);
    const rest = new Date((seconds % DAY_S) * 1000).toISOString().slice(11, 19);
    return days > 0 ? `${this.#words.days(days)} ${rest}` : rest;
  }
}
