import { minutesText } from '../countdown.ts';
import type { SaleWords } from '../words/sale/en.ts';
import { fromMarkup, part, put, putOrHide } from './markup.ts';
import { isFree, isWaiting, type OrderView } from './order-view.ts';
import { wordsAt, type Prices } from './prices.ts';

const MARKUP = `
<li class="sale-order" data-testid="order" tabindex="-1">
  <p class="sale-order-head"><span class="sale-order-name"></span><span class="sale-order-pieces"></span><strong class="sale-order-total"></strong></p>
  <p class="sale-order-state"><span class="sale-badge" data-testid="order-status"></span><span class="sale-order-detail" data-testid="order-detail"></span></p>
  <div class="sale-order-act">
    <p class="sale-pay-by" role="timer"><span class="sale-pay-by-label"></span><span class="sale-pay-by-time" data-testid="pay-by"></span></p>
    <button type="button" class="sale-cancel" data-testid="cancel"></button>
    <button type="button" class="sale-pay" data-testid="pay"></button>
    <a class="sale-pay sale-pay-link" data-testid="pay-link" target="_blank" rel="noopener noreferrer"></a>
  </div>
  <p class="sale-order-id" data-testid="order-id"></p>
</li>`;

export interface OrderActions {
  pay: (reservationId: string) => void;
  cancel: (reservationId: string) => void;
}

/** One order of the buyer: its status, and what can be done with it. */
export class OrderCard {
  readonly root = fromMarkup(MARKUP);
  readonly #words: SaleWords;
  readonly #prices: Prices;
  #shown = '';

  constructor(reservationId: string, words: SaleWords, prices: Prices, actions: OrderActions) {
    this.#words = words;
    this.#prices = prices;
    this.root.dataset['order'] = reservationId;
    part(this.root, '.sale-pay').addEventListener('click', () => actions.pay(reservationId));
    part(this.root, '.sale-cancel').addEventListener('click', () => actions.cancel(reservationId));
    put(this.root, '.sale-pay-by-label', words.payBy);
    put(this.root, '.sale-order-id', reservationId);
  }

  show(view: OrderView): void {
    const key = JSON.stringify(view);
    if (key === this.#shown) return;
    this.#shown = key;
    const { name, quantity, total, status, seconds } = view;
    const waiting = isWaiting(view);
    // The buttons of a decided order go away: the place of a keyboard's user is then the order itself.
    if (!waiting && this.root.contains(document.activeElement)) this.root.focus({ preventScroll: true });
    this.root.dataset['status'] = status;
    this.root.toggleAttribute('data-waiting', waiting);
    this.root.toggleAttribute('data-hurry', waiting && seconds !== undefined && seconds <= 30);
    put(this.root, '.sale-order-name', name);
    put(this.root, '.sale-order-pieces', this.#words.pieces(quantity));
    put(this.root, '.sale-order-total', this.#prices(total));
    put(this.root, '.sale-badge', wordsAt(total, this.#words).status[status]);
    put(this.root, '.sale-order-detail', this.#detail(view));
    part(this.root, '.sale-order-act').hidden = !waiting;
    part(this.root, '.sale-pay-by').hidden = isFree(total);
    put(this.root, '.sale-pay-by-time', seconds === undefined ? '' : minutesText(seconds));
    this.#showButtons(view);
  }

  #showButtons({ name, total, pay, paying, cancelling }: OrderView): void {
    const { payFor, paying: payingNow, cancel, cancelling: cancellingNow } = wordsAt(total, this.#words);
    const label = payFor(this.#prices(total));
    const [button, link, cancels] = [
      part<HTMLButtonElement>(this.root, 'button.sale-pay'),
      part<HTMLAnchorElement>(this.root, '.sale-pay-link'),
      part<HTMLButtonElement>(this.root, '.sale-cancel'),
    ];
    button.hidden = pay !== 'demo';
    button.setAttribute('aria-disabled', String(paying === 'sent'));
    put(this.root, 'button.sale-pay', paying === 'sent' ? payingNow : label);
    link.hidden = typeof pay !== 'object';
    if (typeof pay === 'object') link.href = pay.url;
    putOrHide(this.root, '.sale-pay-link', typeof pay === 'object' ? label : undefined);
    put(this.root, '.sale-cancel', cancelling === 'sent' ? cancellingNow : cancel);
    cancels.setAttribute('aria-label', `${cancel}: ${name}`);
    cancels.setAttribute('aria-disabled', String(cancelling === 'sent'));
  }

  #detail(view: OrderView): string {
    const { status, total, seconds, place, pay, paying, cancelling } = view;
    const { timeUp, payFailed, cancelFailed, noPay, place: inLine, statusDetail } = wordsAt(total, this.#words);
    if (cancelling === 'failed') return cancelFailed;
    if (paying === 'failed') return payFailed;
    if (seconds === 0) return timeUp;
    if (pay === 'elsewhere') return noPay;
    return status === 'reserved' && place !== undefined ? inLine(place) : statusDetail[status];
  }
}
