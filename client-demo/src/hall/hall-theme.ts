import { readTheme, type ShownTheme } from '../theme.ts';

/** An operator may change the theme or the greeting while the screen is on. */
const AGAIN_MS = 30_000;

interface HallThemeOptions {
  read?: typeof readTheme;
  show: (shown: ShownTheme) => void;
}

/** Keeps up with the theme of what is on the screen. */
export class HallTheme {
  readonly #options: Required<HallThemeOptions>;
  #shown: ShownTheme = {};
  /** `undefined`: nothing has been asked for. */
  #of: { rainId: string | undefined } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ read = readTheme, show }: HallThemeOptions) {
    this.#options = { read, show };
  }

  /** Of the present theme, relative to the page. */
  get music(): string | undefined {
    return this.#shown.theme?.files.music;
  }

  /** May be called every frame. @param rainId `undefined`: no rain is shown, so the default theme is */
  follow(rainId: string | undefined): void {
    if (this.#of && this.#of.rainId === rainId) return;
    clearTimeout(this.#timer);
    this.#of = { rainId };
    void this.#request(this.#of);
  }

  async #request(of: { rainId: string | undefined }): Promise<void> {
    const shown = await this.#options.read(of.rainId);
    if (of !== this.#of) return;
    this.#timer = setTimeout(() => void this.#request(of), AGAIN_MS);
    // What cannot be read now stays as it is.
    if (!shown || JSON.stringify(shown) === JSON.stringify(this.#shown)) return;
    this.#shown = shown;
    this.#options.show(shown);
  }
}
