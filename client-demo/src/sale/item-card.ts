import type { SaleWords } from '../words/sale/en.ts';
import type { ItemView } from './item-view.ts';
import { setChildren } from '../page.ts';
import { fromMarkup, part, put, putOrHide } from './markup.ts';
import { totalOf } from './order-view.ts';
import { pictureOf } from './picture.ts';
import { wordsAt, type Prices } from './prices.ts';

const MARKUP = `
<li class="sale-item" data-testid="item">
  <div class="sale-picture"></div>
  <div class="sale-facts">
    <h3 class="sale-name"></h3>
    <p class="sale-description" data-testid="description"></p>
    <p class="sale-prices"><span class="spoken sale-price-word"></span><strong class="sale-price" data-testid="price"></strong> <span class="spoken sale-list-word"></span><s class="sale-list-price" data-testid="list-price"></s></p>
    <p class="sale-limit" data-testid="limit"></p>
    <p class="sale-left"><span class="sale-bar" aria-hidden="true"><span class="sale-fill"></span></span><span class="sale-left-text" data-testid="units-left"></span></p>
  </div>
  <div class="sale-act">
    <div class="sale-stepper" role="group">
      <button type="button" class="sale-step sale-fewer" data-testid="fewer"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 12h12"/></svg></button>
      <input class="sale-quantity" data-testid="quantity" type="number" inputmode="numeric" min="1" step="1" autocomplete="off">
      <button type="button" class="sale-step sale-more" data-testid="more"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 12h12M12 6v12"/></svg></button>
    </div>
    <button type="button" class="sale-buy" data-testid="buy"></button>
  </div>
  <div class="sale-answer" hidden>
    <p class="sale-answer-text" data-testid="answer"></p>
    <button type="button" class="sale-bell" data-testid="bell"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6.5 16.5V11a5.5 5.5 0 0 1 11 0v5.5l1.6 1.9H4.9zM10 20.6a2.2 2.2 0 0 0 4 0M12 5.4V3.6"/></svg><span class="sale-bell-text"></span></button>
  </div>
</li>`;

export interface ItemActions {
  buy: (sku: string) => void;
  choose: (sku: string, quantity: number) => void;
  turnBell: (sku: string) => void;
}

/** One item of the sale: what it is, what it costs, and the button. */
export class ItemCard {
  readonly root = fromMarkup(MARKUP);
  readonly #words: SaleWords;
  readonly #prices: Prices;
  readonly #clock: (at: number) => string;
  #picture: string | undefined | null = null;
  #shown = '';

  constructor(sku: string, words: SaleWords, prices: Prices, clock: (at: number) => string, actions: ItemActions) {
    this.#words = words;
    this.#prices = prices;
    this.#clock = clock;
    this.root.dataset['sku'] = sku;
    const input = this.#input;
    // A number outside of the limits becomes the nearest one.
    const choose = (wanted: number) => {
      const quantity = Math.min(Number(input.max) || 1, Math.max(1, Math.trunc(wanted) || 1));
      input.value = String(quantity);
      actions.choose(sku, quantity);
    };
    input.addEventListener('change', () => choose(Number(input.value)));
    part(this.root, '.sale-fewer').addEventListener('click', () => choose(Number(input.value) - 1));
    part(this.root, '.sale-more').addEventListener('click', () => choose(Number(input.value) + 1));
    part(this.root, '.sale-buy').addEventListener('click', () => actions.buy(sku));
    part(this.root, '.sale-bell').addEventListener('click', () => actions.turnBell(sku));
    input.setAttribute('aria-label', words.quantity);
    part(this.root, '.sale-stepper').setAttribute('aria-label', words.quantity);
    part(this.root, '.sale-fewer').setAttribute('aria-label', words.fewer);
    part(this.root, '.sale-more').setAttribute('aria-label', words.more);
    put(this.root, '.sale-list-word', words.was);
  }

  show(view: ItemView, index: number): void {
    const key = JSON.stringify(view);
    if (key === this.#shown) return;
    this.#shown = key;
    const {
      face,
      name,
      description,
      price,
      listPrice,
      picture,
      left,
      share,
      limit,
      held,
      limitIsOfSale: isOfSale = false,
    } = view;
    this.root.dataset['face'] = face;
    this.root.toggleAttribute('data-back', view.answer === 'back');
    if (this.#picture !== picture) setChildren(part(this.root, '.sale-picture'), pictureOf(picture, index));
    this.#picture = picture;
    put(this.root, '.sale-name', name);
    putOrHide(this.root, '.sale-description', description);
    const words = wordsAt(price, this.#words);
    put(this.root, '.sale-price-word', words.price);
    put(this.root, '.sale-price', this.#prices(price));
    putOrHide(this.root, '.sale-list-price', listPrice && this.#prices(listPrice));
    part(this.root, '.sale-list-word').hidden = listPrice === undefined;
    putOrHide(
      this.root,
      '.sale-limit',
      limit === undefined ? undefined : held > 0 ? words.held(held, limit, isOfSale) : words.limit(limit, isOfSale),
    );
    // Units that are left when a sale is over go back to the shop: "0 left" would read as sold out.
    part(this.root, '.sale-left').hidden = face === 'over';
    put(this.root, '.sale-left-text', this.#words.left(left));
    part(this.root, '.sale-fill').style.width = `${share * 100}%`;
    this.#showStepper(view);
    this.#showBuy(view);
    this.#showAnswer(view);
  }

  get #input(): HTMLInputElement {
    return part(this.root, '.sale-quantity');
  }

  #showStepper({ face, quantity, quantityMax }: ItemView): void {
    part(this.root, '.sale-stepper').hidden =
      quantityMax < 2 || face === 'limit' || face === 'sold_out' || face === 'over';
    this.#input.max = String(quantityMax);
    if (this.#input.value !== String(quantity)) this.#input.value = String(quantity);
    const off = face === 'asking';
    this.#input.disabled = off;
    part<HTMLButtonElement>(this.root, '.sale-fewer').disabled = off || quantity <= 1;
    part<HTMLButtonElement>(this.root, '.sale-more').disabled = off || quantity >= quantityMax;
  }

  #showBuy({ face, name, price, quantity }: ItemView): void {
    const words = wordsAt(price, this.#words);
    const { buy, buyFor, again, soon, asking, soldOut, limitReached, paused, over } = words;
    const toBuy = quantity > 1 ? buyFor(this.#prices(totalOf(price, quantity)), quantity) : buy;
    const label = { buy: toBuy, gone: again, soon, asking, sold_out: soldOut, limit: limitReached, paused, over }[face];
    const button = part<HTMLButtonElement>(this.root, '.sale-buy');
    put(this.root, '.sale-buy', label);
    button.setAttribute('aria-label', `${label}: ${name}`);
    // Not `disabled`: a button that loses the focus while it waits for its answer would lose the place of a keyboard's
    // user.
    button.setAttribute('aria-disabled', String(face !== 'buy' && face !== 'gone'));
  }

  #showAnswer({ face, price, progress, answer, backAt, bell }: ItemView): void {
    const { backAt: comesBack, bell: ring, bellOn } = this.#words;
    const { answers, progress: words } = wordsAt(price, this.#words);
    const said = progress
      ? words[progress]
      : !answer
        ? ''
        : backAt !== undefined
          ? comesBack(this.#clock(backAt))
          : answers[answer];
    part(this.root, '.sale-answer').hidden = said === '';
    put(this.root, '.sale-answer-text', said);
    const button = part<HTMLButtonElement>(this.root, '.sale-bell');
    button.hidden = bell === undefined || face === 'asking';
    button.setAttribute('aria-pressed', String(bell === true));
    put(this.root, '.sale-bell-text', bell ? bellOn : ring);
  }
}
