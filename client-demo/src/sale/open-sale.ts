import '../style/sale.css';
import '../style/sale-orders.css';
import type { RainClient } from '../../../src/client/client.ts';
import type { Cue } from '../sound/cues.ts';
import type { Words } from '../words/en.ts';
import { saleWordsFor } from '../words/sale/language.ts';
import { openBells } from './bells.ts';
import type { PayConfig } from './order-view.ts';
import { payInDemo } from './pay.ts';
import { pricesIn } from './prices.ts';
import { celebrateOver } from '../sky/fountain.ts';
import { SaleScreen } from './sale-screen.ts';
import { SaleVisit } from './visit.ts';

interface OpenSaleOptions {
  client: RainClient;
  saleId: string;
  pay: PayConfig;
  words: Words;
  random: () => number;
  onCue: (cue: Cue) => void;
  onRing: () => void;
  back: () => void;
}

export type OpenSale = ReturnType<typeof openSale>;

/** A sale on a screen of its own. It stays visited while its screen is hidden, so that its bells ring. */
export function openSale({ client, saleId, pay, words, random, onCue, onRing, back }: OpenSaleOptions) {
  const saleWords = saleWordsFor(words.lang);
  const visit = new SaleVisit({
    client,
    saleId,
    pay,
    bells: openBells(saleId),
    payHere: payInDemo,
    onCue,
    onRing,
    onGift: () => celebrateOver(screen.root, random),
  });
  const clock = (at: number) =>
    new Date(at).toLocaleTimeString(words.lang, {
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hour12: false,
    });
  const screen = new SaleScreen(saleWords, pricesIn(words.money, saleWords.free), clock, {
    back,
    buy: (sku) => {
      onCue('tap');
      void visit.buy(sku);
    },
    choose: (sku, quantity) => visit.choose(sku, quantity),
    turnBell: (sku) => visit.turnBell(sku),
    pay: (reservationId) => void visit.pay(reservationId),
    cancel: (reservationId) => void visit.cancel(reservationId),
  });
  let state: string | undefined;
  return {
    saleId,
    root: screen.root,
    /**
     * To be called in every frame while it is shown.
     * @param rainInSeconds until the rain opens, 0: it is open; absent: no rain soon
     */
    draw(rainInSeconds?: number): void {
      screen.showRain(rainInSeconds);
      const view = visit.view();
      if (state === 'loaded' && view.state === 'open') onCue('go');
      state = view.state;
      screen.show(view);
    },
    focus: () => screen.root.querySelector<HTMLElement>('.sale-title')?.focus({ preventScroll: true }),
    leave(): void {
      visit.leave();
      screen.root.remove();
    },
  };
}
