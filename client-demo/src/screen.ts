import { ownName } from '../../src/rain/names.ts';
import { countdownText, minutesText } from './countdown.ts';
import { creditStatus, detailOf } from './detail.ts';
import { countUp } from './opening/count-up.ts';
import { isFinal } from './next-rain.ts';
import { element, write } from './page.ts';
import { showLeaderboard } from './leaderboard/leaderboard-list.ts';
import type { View } from './view.ts';
import type { Words } from './words/en.ts';
import { greetingOf } from './rain-theme.ts';

/** In the last seconds before the start the countdown is animated. */
const LAST_SECONDS = 10;
const LONG_TEXT = 4;
const LONG_AMOUNT = 6;

/** Writes views into the page. User input becomes text, never markup. */
export class Screen {
  readonly #words: Words;
  readonly #page = element('.phone');
  readonly #grab = element<HTMLButtonElement>('.grab');
  #shown = '';
  #face: View['face'] = 'connecting';
  #spoken = '';
  #event = '';
  #wins = '';
  /** The connection has been lost since the last win was shown. */
  #wasAway = false;
  /** The disabled button lost the focus. It gets the focus back when it is enabled again. */
  #refocusGrab = false;
  still = false;

  constructor(words: Words) {
    this.#words = words;
    document.documentElement.lang = words.lang;
    document.title = words.page;
    this.#grab.textContent = words.grab;
    element('.left-label').textContent = words.left;
    element('.next').textContent = words.next;
    element('.verify').textContent = words.verify;
    element('.rehearsal').textContent = words.rehearsal;
  }

  /** Names the event, for as long as no rain is shown. */
  name(event: string): void {
    this.#event = document.title = event;
    this.#shown = '';
  }

  /** May be called every frame: it does nothing if nothing has changed. */
  show(view: View): void {
    const key = JSON.stringify(view);
    if (key === this.#shown) return;
    this.#shown = key;
    const { headline, notes, page, you, greeting } = this.#words;
    const { face, left, note } = view;
    if (face !== this.#face) this.#changeFace(face, view);
    this.#wasAway = note === 'lost' || (this.#wasAway && face !== 'won');
    this.#page.toggleAttribute('data-credited', view.win?.credited === true);
    this.#page.dataset['link'] = note === 'lost' ? 'lost' : 'up';
    this.#grab.disabled = face !== 'open';
    if (face === 'open' && this.#refocusGrab && document.activeElement === element('.message'))
      this.#grab.focus({ preventScroll: true });
    if (face === 'open') this.#refocusGrab = false;
    write('.title', view.title || this.#event || page);
    write('.headline', headline[face]);
    this.#count(view);
    write('.detail', detailOf(view, this.#words));
    write('.greeting', view.win && view.greeting ? greeting(greetingOf(view.greeting, view.win.amount)) : '');
    write('.note', note ? notes[note] : '');
    write('.user', view.userId ? `${you} ${ownName(view.userId)}` : '');
    this.#showWinners(view.winners);
    this.#showClock(view);
    element('.left').hidden = left === undefined;
    element('.left-fill').style.width = `${(left ?? 0) * 100}%`;
    this.#showProof(view.proof);
    element('.share').hidden = !view.win;
    element('.rehearsal').hidden = view.rehearsal !== true;
    showLeaderboard(view.luckiest, this.#words, view.win?.redPacketId);
    this.#offer(view);
    this.#announce(view);
  }

  /** Until the rain closes. */
  #showClock({ face, seconds }: View): void {
    const closing = face === 'open' || face === 'asking' ? seconds : undefined;
    element('.clock').hidden = closing === undefined;
    write('.clock', closing === undefined ? '' : countdownText(closing));
  }

  #showProof(proof: View['proof']): void {
    element('.verify').hidden = proof !== 'ready' && proof !== 'failed';
    write('.proof', proof === undefined || proof === 'ready' ? '' : this.#words.proof[proof]);
  }

  #changeFace(face: View['face'], { win }: View): void {
    const hadFocus = document.activeElement === this.#grab;
    const arrived = face === 'won' && this.#face !== 'connecting' && !win?.old;
    this.#page.dataset['face'] = face;
    this.#page.toggleAttribute('data-arrived', arrived);
    element('.won-while-away').hidden = !(arrived && this.#wasAway && this.#face !== 'asking');
    write('.won-while-away', this.#words.wonWhileAway);
    this.#face = face;
    // The focus on a hidden or disabled button would be lost.
    if (hadFocus && face !== 'open') element('.message').focus({ preventScroll: true });
    this.#refocusGrab ||= hadFocus;
    if (arrived && win && !this.still) {
      write('.big', this.#words.money(win.amount));
      countUp(element('.big'), win.amount, this.#words.money);
    }
  }

  #count({ face, seconds, win }: View): void {
    const big = element('.big');
    const counting = face === 'scheduled' && seconds !== undefined;
    const text = win ? this.#words.money(win.amount) : counting ? countdownText(seconds) : '';
    write('.big', text);
    big.toggleAttribute('data-long', text.length > (win ? LONG_AMOUNT : LONG_TEXT));
    this.#page.toggleAttribute('data-final', counting && seconds <= LAST_SECONDS);
    big.dataset['tick'] = String((seconds ?? 0) % 2);
  }

  /** Each change slides in. Two equal animations alternate, because only a changed name restarts an animation. */
  #showWinners(winners: View['winners']): void {
    const text = winners.map(({ user, amount }) => `${user} +${this.#words.money(amount)}`).join('   ');
    if (text === this.#wins) return;
    this.#wins = text;
    const ticker = element('.ticker');
    ticker.dataset['turn'] = ticker.dataset['turn'] === '0' ? '1' : '0';
    write('.ticker', text);
  }

  #offer({ face, ahead }: View): void {
    const offered = ahead && isFinal(face) ? ahead : undefined;
    element('.ahead').hidden = offered === undefined;
    element('.next').hidden = !isFinal(face) || offered !== undefined;
    const { offer, now, untitled } = this.#words.ahead;
    write(
      '.ahead-what',
      !offered ? '' : offered.seconds === undefined ? now : `${offer} ${minutesText(offered.seconds)}`,
    );
    write('.ahead-title', offered ? offered.title || untitled : '');
  }

  /**
   * Announces changes to screen readers. The countdown is not announced every second, because it would drown out the
   * result.
   */
  #announce({ face, win, seconds }: View): void {
    const { headline, detail, money, soon } = this.#words;
    const near =
      face === 'scheduled' && seconds !== undefined && seconds <= LAST_SECONDS ? ` ${soon(LAST_SECONDS)}` : '';
    const sentence = win
      ? `${headline.won}: ${money(win.amount)}. ${creditStatus(win, this.#words)}`
      : near || `${headline[face]}. ${detail[face]}`;
    if (sentence === this.#spoken) return;
    this.#spoken = sentence;
    write('.spoken', sentence);
  }
}
