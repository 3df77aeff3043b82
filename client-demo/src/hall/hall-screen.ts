import { isLoopbackHost } from '../../../src/platform/network/loopbackHost.ts';
import { countdownText, minutesText } from '../countdown.ts';
import type { Luckiest } from '../leaderboard/leaderboard.ts';
import { element, setChildren, textElement, write } from '../page.ts';
import { drawCode } from './code.ts';
import { keepFitting } from './fit.ts';
import type { HallView, Stage } from './hall.ts';
import { HallItems } from './hall-items.ts';
import type { Presence } from './present.ts';
import type { HallWords } from './words.ts';

/** From here on the countdown fills the screen. */
const LAST_SECONDS = 10;

/** `wait`: a large code to scan. `show`: the code is small, and the rest has the whole width. `bare`: no code. */
const LAYOUTS: Readonly<Record<Stage, 'wait' | 'show' | 'bare'>> = {
  quiet: 'wait',
  before: 'wait',
  raining: 'show',
  gone: 'show',
  paused: 'show',
  after: 'show',
  sale_before: 'wait',
  selling: 'wait',
  sale_paused: 'wait',
  sold_out: 'show',
  sale_over: 'show',
  connecting: 'bare',
  unknown: 'bare',
  no_token: 'bare',
  refused: 'bare',
};
/** Longer titles are smaller. A Chinese character counts twice. */
const LONG_TITLE = 36;
const LONG_NAME = 26;

/** Writes views of a hall into its page. */
export class HallScreen {
  readonly #words: HallWords;
  readonly #event: string;
  readonly #address: URL;
  /** Whether phones can come to the address. A code that leads nowhere is not drawn. */
  readonly #isReachable: boolean;
  readonly #items: HallItems;
  readonly #fit = keepFitting();
  #shown = '';
  #code = '';

  /** @param address the players' page */
  constructor(words: HallWords, event: string, address: URL) {
    this.#words = words;
    this.#event = event;
    this.#address = address;
    this.#isReachable = !isLoopbackHost(address.host);
    element('.way-in').toggleAttribute('data-unreachable', !this.#isReachable);
    this.#items = new HallItems(words);
    document.documentElement.lang = words.lang;
    document.title = event || words.page;
    write('.hint', this.#isReachable ? '' : words.reachable);
    write('.full', words.fullScreen);
    write('.elsewhere', words.elsewhere);
  }

  /** May be called every frame: it does nothing if nothing has changed. */
  show(view: HallView, luckiest: Luckiest | undefined, present?: Presence): void {
    const key = JSON.stringify([view, luckiest, present]);
    if (key === this.#shown) return;
    this.#shown = key;
    const { headline, ends, lost, page: untitled, untitled: untitledSale } = this.#wordsOf(view);
    const { stage, seconds, next, saleId, items = [] } = view;
    const isBefore = stage === 'before' || stage === 'sale_before';
    markPage(stage, isBefore ? seconds : undefined);
    const title = view.title || (saleId === undefined ? '' : untitledSale);
    const name = this.#event || title || untitled;
    write('.event', name);
    element('.event').toggleAttribute('data-long', widthOf(name) > LONG_TITLE);
    write('.title', title !== name ? title : '');
    write('.rehearsal', view.rehearsal ? this.#rehearsalText(saleId) : '');
    write('.headline', isGoingOnUnseen(view) ? '' : headline[stage]);
    element('.elsewhere').hidden = stage !== 'unknown';
    this.#showCountdown(isBefore ? seconds : undefined);
    write('.clock', !isBefore && seconds !== undefined ? ends(minutesText(seconds)) : '');
    this.#showPresent(present);
    write('.link', view.lost ? lost : '');
    this.#showCode(view);
    this.#showLeft(view);
    this.#items.show(items, phaseOf(stage));
    this.#showNames(view.names);
    this.#showLeaderboard(view, luckiest);
    write('.next', next ? this.#nextText(next) : '');
    this.#fit();
  }

  #wordsOf({ free }: HallView): HallWords {
    const { headline, whenFree } = this.#words;
    return free ? { ...this.#words, ...whenFree, headline: { ...headline, ...whenFree.headline } } : this.#words;
  }

  #rehearsalText(saleId: string | undefined): string {
    return saleId === undefined ? this.#words.rehearsal : this.#words.saleRehearsal;
  }

  #nextText({ title, seconds }: NonNullable<HallView['next']>): string {
    const { next, now, page: untitled } = this.#words;
    return seconds === undefined ? now(title || untitled) : next(title || untitled, minutesText(seconds));
  }

  #showCountdown(seconds: number | undefined): void {
    const text = seconds === undefined ? '' : countdownText(seconds);
    write('.big', text);
    element('.big').toggleAttribute('data-long', text.length > '59:59'.length);
  }

  /** Leads to the player's page, and to the sale that is on the screen. */
  #showCode(view: HallView): void {
    const { saleId } = view;
    const { scan, scanSale, loopback } = this.#wordsOf(view);
    write('.scan', !this.#isReachable ? loopback : saleId === undefined ? scan : scanSale);
    const { host, pathname } = this.#address;
    const address = new URL(this.#address);
    if (saleId !== undefined) address.searchParams.set('sale', saleId);
    if (this.#code === address.href) return;
    this.#code = address.href;
    write('.address', saleId === undefined ? host + pathname.replace(/\/$/, '') : host + pathname + address.search);
    setChildren(element('.code'), ...(this.#isReachable ? [drawCode(address.href)] : []));
  }

  #showLeft({ stage, left = 0, packets = 0 }: HallView): void {
    const isShown = stage === 'raining' || stage === 'paused';
    element('.left').hidden = !isShown;
    write('.left-label', isShown ? this.#words.left(countText(left), countText(packets)) : '');
    element('.left-fill').style.width = `${packets > 0 ? (left / packets) * 100 : 0}%`;
  }

  /** Names are added at the front, so that each is seen as it comes. */
  #showPresent({ phones, invited, names }: Presence = { phones: 0, names: [] }): void {
    const { here, invited: areInvited } = this.#words;
    write('.here', [...(invited ? [areInvited(invited)] : []), ...(phones > 0 ? [here(phones)] : [])].join(' · '));
    const list = element('.arrived');
    list.hidden = names.length === 0;
    const shown = [...list.children].map((one) => one.textContent);
    if (JSON.stringify(shown) === JSON.stringify(names)) return;
    const known = new Map([...list.children].map((one) => [one.textContent, one]));
    // A chip that stays is not made again: it would pop in again.
    setChildren(
      list,
      ...names.map((name) => {
        const chip = known.get(name) ?? document.createElement('li');
        known.delete(name);
        chip.textContent = name;
        return chip;
      }),
    );
  }

  #showNames(names: HallView['names']): void {
    const list = element('.names');
    const key = JSON.stringify(names);
    if (list.dataset['names'] === key) return;
    list.dataset['names'] = key;
    setChildren(
      list,
      ...names.map(({ user, amount }) => {
        const line = document.createElement('li');
        line.append(textElement('name', user), textElement('amount', this.#words.money(amount)));
        return line;
      }),
    );
  }

  #showLeaderboard({ stage, packets = 0, left = 0 }: HallView, luckiest: Luckiest | undefined): void {
    const isOver = stage === 'gone' || stage === 'after';
    const places = isOver ? (luckiest?.luckiest ?? []) : [];
    element('.leaderboard').hidden = places.length === 0;
    write('.leaderboard-title', luckiest?.final === false ? this.#words.counting : this.#words.luckiest);
    const { won, given: givenText, money } = this.#words;
    const given = luckiest?.given;
    write(
      '.sum',
      !isOver
        ? ''
        : given === undefined
          ? won(countText(packets - left))
          : givenText(countText(packets - left), money(given)),
    );
    const list = element('.places');
    const key = JSON.stringify(places);
    if (list.dataset['places'] === key) return;
    list.dataset['places'] = key;
    setChildren(
      list,
      ...places.map(({ user, amount }) => {
        const place = document.createElement('li');
        const name = textElement('name', user);
        name.toggleAttribute('data-long', widthOf(user) > LONG_NAME);
        place.append(name, textElement('amount', money(amount)), textElement('step', ''));
        return place;
      }),
    );
  }
}

const countText = (count: number): string => count.toLocaleString('en');

/** @param seconds until the start; absent: it has passed, or is not known */
function markPage(stage: HallView['stage'], seconds: number | undefined): void {
  const page = element('.hall');
  page.dataset['stage'] = stage;
  page.dataset['layout'] = LAYOUTS[stage];
  page.toggleAttribute('data-last', seconds !== undefined && seconds <= LAST_SECONDS);
}

/** A rain that cannot be seen is not told to go on. */
const isGoingOnUnseen = ({ lost, stage }: HallView): boolean =>
  lost === true && (stage === 'raining' || stage === 'selling');

function phaseOf(stage: HallView['stage']): 'ahead' | 'on' | 'over' {
  if (stage === 'sale_before') return 'ahead';
  return stage === 'sold_out' || stage === 'sale_over' ? 'over' : 'on';
}

/** In Latin letters, about. */
const widthOf = (text: string): number => [...text].reduce((sum, one) => sum + (one > '\u2e7f' ? 2 : 1), 0);
