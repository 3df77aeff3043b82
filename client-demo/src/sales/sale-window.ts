import type { RainClient } from '../../../src/client/client.ts';
import type { PlayerConfig } from '../api.ts';
import { element } from '../page.ts';
import type { View } from '../view.ts';
import type { OpenSale } from '../sale/open-sale.ts';
import type { Cue } from '../sound/cues.ts';
import type { Words } from '../words/en.ts';
import { addressWith, inAddress } from './address.ts';
import { SaleList } from './sale-list.ts';

/** So long before its start a rain is shown on the screen of a sale. */
const RAIN_SOON_S = 60;

interface SaleWindowOptions {
  client: RainClient;
  pay: PlayerConfig['pay'];
  words: Words;
  random: () => number;
  onCue: (cue: Cue) => void;
}

/**
 * Shows a sale in place of the rain, as the page's address says. Its screen is loaded when the first sale is opened.
 */
export class SaleWindow {
  readonly #options: SaleWindowOptions;
  readonly #list: SaleList;
  readonly #phone = element('.phone');
  #sale: OpenSale | undefined;
  #wanted: string | undefined;
  /** The sale was opened from the rain, so the rain is one step back in the history. */
  #steppedIn = false;

  constructor(options: SaleWindowOptions) {
    this.#options = options;
    this.#list = new SaleList(options.client, options.words.sales, (saleId) => {
      history.pushState(history.state, '', addressWith('sale', saleId));
      this.#steppedIn = true;
      void this.#follow();
    });
    addEventListener('popstate', () => {
      this.#steppedIn = false;
      void this.#follow();
    });
    void this.#follow();
  }

  /** A sale is shown, so the rain is not. */
  get isOpen(): boolean {
    return this.#wanted !== undefined;
  }

  /** To be called in every frame. @param rain what the hidden rain would show */
  draw({ face, seconds }: Pick<View, 'face' | 'seconds'>): void {
    if (this.#wanted === undefined) return this.#list.draw();
    if (this.#sale?.saleId !== this.#wanted) return;
    this.#sale.draw(
      face === 'open'
        ? 0
        : face === 'scheduled' && seconds !== undefined && seconds <= RAIN_SOON_S
          ? seconds
          : undefined,
    );
  }

  /** Shows what the address says. */
  async #follow(): Promise<void> {
    const saleId = inAddress('sale');
    this.#wanted = saleId;
    if (saleId === undefined) return this.#showRain();
    element('.sales-note').hidden = true;
    try {
      const { openSale } = await import('../sale/open-sale.ts');
      if (this.#wanted === saleId) this.#show(saleId, openSale);
    } catch {
      // The chunk could not be loaded. The link may be tried again.
      this.#wanted = undefined;
      element('.sales-note').hidden = false;
      element('.sales-note').textContent = this.#options.words.sales.failed;
      history.replaceState(history.state, '', addressWith('sale', undefined));
    }
  }

  #show(saleId: string, openSale: typeof import('../sale/open-sale.ts').openSale): void {
    const { client, pay, words, random, onCue } = this.#options;
    if (this.#sale?.saleId !== saleId) {
      this.#sale?.leave();
      this.#sale = openSale({
        client,
        saleId,
        pay,
        words,
        random,
        onCue,
        onRing: () => {
          if (!this.isOpen) this.#list.ring(saleId);
        },
        back: () => this.#back(),
      });
      this.#phone.after(this.#sale.root);
    }
    this.#list.opened(saleId);
    this.#phone.hidden = true;
    this.#sale.root.hidden = false;
    this.#sale.draw();
    this.#sale.focus();
    scrollTo(0, 0);
  }

  #back(): void {
    if (this.#steppedIn) return history.back();
    history.replaceState(history.state, '', addressWith('sale', undefined));
    void this.#follow();
  }

  #showRain(): void {
    const was = this.#sale && !this.#sale.root.hidden;
    if (this.#sale) this.#sale.root.hidden = true;
    this.#phone.hidden = false;
    if (!was) return;
    this.#list.draw();
    document
      .querySelector<HTMLElement>(`.sales [data-sale="${CSS.escape(this.#sale!.saleId)}"]`)
      ?.focus({ preventScroll: true });
  }
}
