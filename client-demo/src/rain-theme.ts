import { readTheme, type ShownTheme } from './theme.ts';

/** A rain that is announced is news to all pages in the same second, so the request is delayed randomly. */
const READ_MS_MAX = 4_000;
/** How long after a failed request the next one is, at least, ms. */
const AGAIN_MS = 30_000;

export type Greeting = Pick<ShownTheme, 'sender' | 'blessing'>;

interface RainThemeOptions {
  read?: (rainId: string | undefined) => Promise<ShownTheme | undefined>;
  random: () => number;
  /** Called when the theme is another one than before. */
  onTheme: (shown: ShownTheme) => void;
}

/** The theme and the greeting of the rain that is shown, read once for each rain. The last theme is shown until the next is known. */
export class RainTheme {
  readonly #options: RainThemeOptions;
  #rain: { id: string | undefined } | undefined;
  #applied = JSON.stringify({});
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Of this rain; absent while it is not known, or if there is none. */
  greeting: Greeting | undefined;

  constructor(options: RainThemeOptions) {
    this.#options = options;
  }

  /** May be called every frame. @param rainId `undefined`: no rain is shown */
  follow(rainId: string | undefined): void {
    if (this.#rain && this.#rain.id === rainId) return;
    clearTimeout(this.#timer);
    const rain = { id: rainId };
    const afterMs = this.#rain ? this.#options.random() * READ_MS_MAX : 0;
    this.#rain = rain;
    this.greeting = undefined;
    this.#timer = setTimeout(() => void this.#read(rain), afterMs);
  }

  async #read(rain: { id: string | undefined }): Promise<void> {
    const { read = readTheme, random, onTheme } = this.#options;
    const shown = await read(rain.id);
    if (this.#rain !== rain) return;
    if (!shown) {
      this.#timer = setTimeout(() => void this.#read(rain), AGAIN_MS + random() * READ_MS_MAX);
      return;
    }
    const { theme, sender, blessing } = shown;
    if (sender !== undefined || blessing !== undefined) this.greeting = { ...(sender !== undefined && { sender }), ...(blessing !== undefined && { blessing }) };
    const key = JSON.stringify({ theme });
    if (key === this.#applied) return;
    this.#applied = key;
    onTheme(shown);
  }
}
