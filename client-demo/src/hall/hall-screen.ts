import { isLoopbackHost } from '../../../src/platform/network/loopbackHost.ts';
import { countdownText, minutesText } from '../countdown.ts';
import type { Luckiest } from '../leaderboard/leaderboard.ts';
import { element, textElement, write } from '../page.ts';
import { drawCode } from './code.ts';
import type { HallView } from './hall.ts';
import type { HallWords } from './words.ts';

/** From here on the countdown fills the screen. */
const LAST_SECONDS = 10;

/** Writes views of a hall into its page. */
export class HallScreen {
  readonly #words: HallWords;
  readonly #event: string;
  #shown = '';

  /** @param address of the players' page */
  constructor(words: HallWords, event: string, address: URL) {
    this.#words = words;
    this.#event = event;
    document.documentElement.lang = words.lang;
    document.title = event || words.page;
    write('.scan', words.scan);
    write('.address', address.host + address.pathname.replace(/\/$/, ''));
    write('.hint', isLoopbackHost(address.host) ? words.loopback : '');
    element('.code').replaceChildren(drawCode(address.href));
    write('.full', words.fullScreen);
    write('.rehearsal', words.rehearsal);
    write('.elsewhere', words.elsewhere);
  }

  /** May be called every frame: it does nothing if nothing has changed. */
  show(view: HallView, luckiest: Luckiest | undefined, present = 0): void {
    const key = JSON.stringify([view, luckiest, present]);
    if (key === this.#shown) return;
    this.#shown = key;
    const { headline, ends, lost, next: nextText, now } = this.#words;
    const { stage, seconds, next } = view;
    const page = element('.hall');
    page.dataset['stage'] = stage;
    page.toggleAttribute('data-last', stage === 'before' && seconds !== undefined && seconds <= LAST_SECONDS);
    write('.event', this.#event || view.title || this.#words.page);
    write('.title', this.#event && view.title && view.title !== this.#event ? view.title : '');
    element('.rehearsal').hidden = view.rehearsal !== true;
    // A rain that cannot be seen is not told to go on.
    write('.headline', view.lost && stage === 'raining' ? '' : headline[stage]);
    element('.elsewhere').hidden = stage !== 'unknown_rain';
    write('.big', stage === 'before' && seconds !== undefined ? countdownText(seconds) : '');
    write('.clock', stage === 'raining' && seconds !== undefined ? ends(minutesText(seconds)) : '');
    write('.here', present > 0 ? this.#words.here(present) : '');
    write('.link', view.lost ? lost : '');
    this.#showLeft(view);
    this.#showNames(view.names);
    this.#showLeaderboard(view, luckiest);
    write('.next', next ? (next.seconds === undefined ? now(next.title) : nextText(next.title, minutesText(next.seconds))) : '');
  }

  #showLeft({ stage, left = 0, packets = 0 }: HallView): void {
    const isShown = stage === 'raining' || stage === 'paused';
    element('.left').hidden = !isShown;
    write('.left-label', isShown ? this.#words.left(countText(left), countText(packets)) : '');
    element('.left-fill').style.width = `${packets > 0 ? (left / packets) * 100 : 0}%`;
  }

  #showNames(names: HallView['names']): void {
    const list = element('.names');
    const key = JSON.stringify(names);
    if (list.dataset['names'] === key) return;
    list.dataset['names'] = key;
    list.replaceChildren(...names.map(({ user, amount }) => {
      const line = document.createElement('li');
      line.append(textElement('name', user), textElement('amount', this.#words.money(amount)));
      return line;
    }));
  }

  #showLeaderboard({ stage, packets = 0, left = 0, given }: HallView, luckiest: Luckiest | undefined): void {
    const isOver = stage === 'gone' || stage === 'after';
    const places = isOver ? luckiest?.luckiest ?? [] : [];
    element('.leaderboard').hidden = places.length === 0;
    write('.leaderboard-title', luckiest?.final === false ? this.#words.soFar : this.#words.luckiest);
    const { won, given: givenText, money } = this.#words;
    write('.sum', !isOver ? '' : given === undefined ? won(countText(packets - left)) : givenText(countText(packets - left), money(given)));
    const list = element('.places');
    const key = JSON.stringify(places);
    if (list.dataset['places'] === key) return;
    list.dataset['places'] = key;
    list.replaceChildren(...places.map(({ user, amount }) => {
      const place = document.createElement('li');
      place.append(textElement('name', user), textElement('amount', money(amount)), textElement('step', ''));
      return place;
    }));
  }
}

const countText = (count: number): string => count.toLocaleString('en');
