import type { RainSnapshot } from '../../../src/client/client.ts';
import { element } from '../page.ts';
import { recall, remember } from '../storage.ts';
import type { View } from '../view.ts';
import type { Words } from '../words/en.ts';
import { mayNotify, notify } from './notification.ts';

/** So long before the start the player is told. */
const AHEAD_MS = 60_000;
/** The longest time that a timer of a browser takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** The rain of which this tab tells. A reload keeps it. */
const KEY = 'rain.remind';
const tab = () => sessionStorage;

type Ahead = Pick<RainSnapshot, 'rainId' | 'title' | 'opensAt'>;

interface StartReminderOptions {
  words: Words;
  /** Epoch ms by the server's clock. */
  serverNow: () => number;
}

/** Tells of the start of a rain, if the player wishes it and the page is open in the background. */
export class StartReminder {
  readonly #options: StartReminderOptions;
  readonly #button = element<HTMLButtonElement>('.remind');
  readonly #isPossible = mayNotify();
  #wanted = recall(tab, KEY) ?? '';
  #rain: Ahead | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #refused = false;

  constructor(options: StartReminderOptions) {
    this.#options = options;
    this.#button.addEventListener('click', () => void this.#turn());
  }

  /** May be called every frame. */
  draw({ face, seconds }: View): void {
    const hidden = !this.#isPossible || face !== 'scheduled' || seconds === undefined || seconds * 1000 <= AHEAD_MS;
    if (this.#button.hidden !== hidden) this.#button.hidden = hidden;
  }

  /** The newest snapshot of the rain that is shown. A page in the background hears of a start that is moved, too. */
  follow({ rainId, title, opensAt, state }: RainSnapshot): void {
    const isAhead = state === 'loaded' || state === 'draft';
    this.#rain = isAhead ? { rainId, title, opensAt } : undefined;
    this.#show();
    this.#wait();
  }

  async #turn(): Promise<void> {
    const rain = this.#rain;
    if (!rain) return;
    const isOn = this.#wanted === rain.rainId;
    const permission = isOn ? 'granted' : await Notification.requestPermission();
    this.#refused = permission === 'denied';
    this.#wanted = permission === 'granted' && !isOn ? rain.rainId : '';
    remember(tab, KEY, this.#wanted);
    this.#show();
    this.#wait();
  }

  #show(): void {
    const { offer, on, refused } = this.#options.words.remind;
    const isOn = this.#rain !== undefined && this.#wanted === this.#rain.rainId;
    this.#button.textContent = this.#refused ? refused : isOn ? on : offer;
    this.#button.toggleAttribute('data-on', isOn);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    const rain = this.#rain;
    if (!rain || this.#wanted !== rain.rainId || !this.#isPossible) return;
    const waitMs = rain.opensAt - AHEAD_MS - this.#options.serverNow();
    // A start that has come is no news.
    if (waitMs <= -AHEAD_MS) return;
    this.#timer = setTimeout(() => this.#tell(rain), Math.min(TIMER_MS_MAX, Math.max(0, waitMs)));
  }

  #tell({ rainId, title, opensAt }: Ahead): void {
    if (opensAt - AHEAD_MS > this.#options.serverNow() + 1_000) return this.#wait();
    this.#wanted = '';
    remember(tab, KEY, '');
    this.#show();
    // A player who sees the countdown needs no notification.
    if (!document.hidden || Notification.permission !== 'granted') return;
    const { lang, remind, page } = this.#options.words;
    const time = new Date(opensAt).toLocaleTimeString(lang, { hour: '2-digit', minute: '2-digit' });
    void notify(title || page, remind.startsAt(time), rainId);
  }
}
