import { countdownText } from './countdown.ts';
import type { Face, Round } from './round.ts';
import type { Words } from './words.ts';

/** All that can be seen, apart from the falling packets. */
export interface View {
  face: Face | 'no_rain' | 'no_token' | 'refused';
  title?: string;
  /** Whole seconds until the rain opens, or until an open one closes. */
  seconds?: number;
  /** Part of the packets that is left, 0 to 1. */
  left?: number;
  win?: { amount: string; credited: boolean };
  /** Only once the packets can be recomputed; `ready`: nobody has asked yet. */
  proof?: NonNullable<Round['proof']> | 'ready';
  userId?: string;
  note?: keyof Words['notes'];
  /** The latest wins of others, masked by the server. */
  winners: { user: string; amount: string }[];
}

const FINAL: readonly View['face'][] = ['won', 'missed', 'gone', 'too_late', 'unknown_rain', 'blocked', 'had_enough'];

/** Writes views into the page. Names from outside become text, never markup. */
export class Screen {
  readonly #words: Words;
  readonly #page = element('.phone');
  readonly #grab = element<HTMLButtonElement>('.grab');
  #shown = '';
  #spoken = '';

  constructor(words: Words, onGrab: () => void, onVerify: () => void) {
    this.#words = words;
    document.documentElement.lang = words.lang;
    document.title = words.page;
    this.#grab.textContent = words.grab;
    this.#grab.addEventListener('click', onGrab);
    element('.left-label').textContent = words.left;
    element('.next').textContent = words.next;
    element('.verify').textContent = words.verify;
    element('.verify').addEventListener('click', onVerify);
  }

  /** Cheap enough for every frame: does nothing when nothing has changed. */
  show(view: View): void {
    const key = JSON.stringify(view);
    if (key === this.#shown) return;
    this.#shown = key;
    const { headline, detail, notes, page, you, proof } = this.#words;
    const { face, seconds, left } = view;
    this.#page.dataset['face'] = face;
    this.#page.toggleAttribute('data-credited', view.win?.credited === true);
    this.#grab.disabled = face !== 'open';
    write('.title', view.title ?? page);
    write('.headline', headline[face]);
    write('.big', this.#big(view));
    write('.detail', view.win ? this.#fate(view.win) : detail[face]);
    write('.note', view.note ? notes[view.note] : '');
    write('.user', view.userId ? `${you} ${view.userId}` : '');
    write('.ticker', view.winners.map(({ user, amount }) => `${user} +${amount}`).join('   '));
    const closing = face === 'open' || face === 'asking' ? seconds : undefined;
    element('.clock').hidden = closing === undefined;
    write('.clock', closing === undefined ? '' : countdownText(closing));
    element('.left').hidden = left === undefined;
    element('.left-fill').style.width = `${(left ?? 0) * 100}%`;
    element('.next').hidden = !FINAL.includes(face);
    element('.verify').hidden = view.proof !== 'ready' && view.proof !== 'failed';
    write('.proof', view.proof === undefined || view.proof === 'ready' ? '' : proof[view.proof]);
    this.#speak(view);
  }

  #big({ face, seconds, win }: View): string {
    if (win) return this.#words.money(win.amount);
    return face === 'scheduled' && seconds !== undefined ? countdownText(seconds) : '';
  }

  #fate({ credited }: { credited: boolean }): string {
    return credited ? this.#words.credited : this.#words.onItsWay;
  }

  /** Only what has changed for the user: a countdown that speaks every second drowns the result. */
  #speak({ face, win }: View): void {
    const { headline, detail, money } = this.#words;
    const sentence = win ? `${headline.won}: ${money(win.amount)}. ${this.#fate(win)}` : `${headline[face]}. ${detail[face]}`;
    if (sentence === this.#spoken) return;
    this.#spoken = sentence;
    write('.spoken', sentence);
  }
}

function write(selector: string, text: string): void {
  const target = element(selector);
  if (target.textContent !== text) target.textContent = text;
}

function element<E extends HTMLElement = HTMLElement>(selector: string): E {
  return document.querySelector<E>(selector)!;
}
