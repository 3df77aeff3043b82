import { blessingOf } from '../../src/rain/theme.ts';
import { readTheme, type ShownTheme } from './theme.ts';

/** A rain that is announced is news to all pages in the same second, so the request is delayed randomly. */
const READ_MS_MAX = 4_000;
/** How long after a failed request the next one is, at least, ms. */
const AGAIN_MS = 30_000;

export type Greeting = Pick<ShownTheme, 'sender' | 'blessing' | 'prizes'>;

/** The greeting of a win of this amount. */
export function greetingOf(greeting: Greeting, amount: string): Pick<Greeting, 'sender' | 'blessing'> {
  const [{ sender }, blessing] = [greeting, blessingOf(greeting, amount)];
  return { ...(sender !== undefined && { sender }), ...(blessing !== undefined && { blessing }) };
}

interface RainThemeOptions {
  read?: (rainId: string | undefined, token: string | undefined) => Promise<ShownTheme | undefined>;
  /**
   * The token of the page, which only a rain by invitation is read with: answers to it are kept by no cache on the way.
   */
  token?: () => Promise<string | undefined>;
  random: () => number;
  /** Called when the theme is another one than before. */
  onTheme: (shown: ShownTheme) => void;
}

/**
 * The theme and the greeting of the rain that is shown, read once for each rain. The last theme is shown until the next
 * is known.
 */
export class RainTheme {
  readonly #options: RainThemeOptions;
  #rain: { id: string | undefined; invitedOnly: boolean } | undefined;
  #applied = JSON.stringify({});
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The greeting of this rain; absent while it is not known, or if there is none. */
  greeting: Greeting | undefined;

  constructor(options: RainThemeOptions) {
    this.#options = options;
  }

  /**
   * May be called every frame.
   * @param rainId `undefined`: no rain is shown.
   * @param invitedOnly the rain is by invitation
   */
  follow(rainId: string | undefined, invitedOnly = false): void {
    if (this.#rain && this.#rain.id === rainId && this.#rain.invitedOnly === invitedOnly) return;
    clearTimeout(this.#timer);
    const rain = { id: rainId, invitedOnly };
    const afterMs = this.#rain ? this.#options.random() * READ_MS_MAX : 0;
    this.#rain = rain;
    this.greeting = undefined;
    this.#timer = setTimeout(() => void this.#read(rain), afterMs);
  }

  async #read(rain: { id: string | undefined; invitedOnly: boolean }): Promise<void> {
    const { read = readTheme, token, random, onTheme } = this.#options;
    const shown = await read(rain.id, rain.invitedOnly ? await token?.() : undefined);
    if (this.#rain !== rain) return;
    if (!shown) {
      this.#timer = setTimeout(() => void this.#read(rain), AGAIN_MS + random() * READ_MS_MAX);
      return;
    }
    const { theme, ...said } = shown;
    if (Object.keys(said).length > 0) this.greeting = said;
    const key = JSON.stringify({ theme });
    if (key === this.#applied) return;
    this.#applied = key;
    onTheme(shown);
  }
}
