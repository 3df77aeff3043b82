import { figure } from '../../../src/rain/figures.ts';
import { element, setChildren, textElement, write } from '../page.ts';
import { isFree } from '../sale/order-view.ts';
import type { Current } from './program.ts';
import type { HallItem } from './sale-watch.ts';
import type { HallWords } from './words.ts';

type Phase = Current['phase'];

/** More are not legible from far away. */
const SHOWN_MAX = 8;

/**
 * Writes the items of a sale: before it how many there are of each, then how many are left, at the end how many were
 * taken.
 */
export class HallItems {
  readonly #words: HallWords;
  #shown = '';

  constructor(words: HallWords) {
    this.#words = words;
  }

  show(items: readonly HallItem[], phase: Phase): void {
    const key = JSON.stringify([items, phase]);
    if (key === this.#shown) return;
    this.#shown = key;
    const shown = items.length > SHOWN_MAX ? mostLeftFirst(items).slice(0, SHOWN_MAX) : items;
    const list = element('.items');
    list.hidden = shown.length === 0;
    list.dataset['count'] =
      shown.length === 1 ? 'one' : shown.length <= 3 ? 'few' : shown.length <= 5 ? 'some' : 'many';
    setChildren(list, ...shown.map((item) => this.#line(item, phase)));
    const more = items.length - shown.length;
    write('.more-items', more > 0 ? this.#words.moreItems(more) : '');
  }

  #line({ name, price, units, left }: HallItem, phase: Phase): HTMLElement {
    const { itemUnits, itemLeft, itemTaken, money } = this.#words;
    const line = document.createElement('li');
    line.append(textElement('item-name', name));
    if (left === undefined) return line;
    line.toggleAttribute('data-none', left === 0 && phase === 'on');
    const [count, text] = {
      ahead: [units, itemUnits(units)],
      on: [left, itemLeft(figure(units))],
      over: [units - left, itemTaken(figure(units))],
    }[phase] as [number, string];
    const cost = isFree(price) || phase === 'over' ? '' : ` · ${money(price)}`;
    line.append(textElement('item-number', figure(count)), textElement('item-of', text + cost));
    if (phase !== 'on') return line;
    const bar = textElement('item-bar', '');
    const fill = textElement('item-fill', '');
    bar.setAttribute('aria-hidden', 'true');
    fill.style.width = `${units > 0 ? (left / units) * 100 : 0}%`;
    bar.append(fill);
    line.append(bar);
    return line;
  }
}

/** Sold-out items give way; the others keep their order. */
function mostLeftFirst(items: readonly HallItem[]): HallItem[] {
  return [...items.filter(({ left }) => left !== 0), ...items.filter(({ left }) => left === 0)];
}
