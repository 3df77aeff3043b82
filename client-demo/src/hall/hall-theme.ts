import { readTheme, type ShownTheme } from '../theme.ts';

/** An operator may change the theme or the greeting while the screen is on. */
const AGAIN_MS = 30_000;

interface HallThemeOptions {
  read?: (rainId: string | undefined, token: string | undefined) => Promise<ShownTheme | undefined>;
  /** The token of the screen, which only a rain by invitation is read with. */
  token?: () => string | undefined;
  show: (shown: ShownTheme) => void;
}

/** Keeps up with the theme of what is on the screen. */
export class HallTheme {
  readonly #options: Required<HallThemeOptions>;
  #shown: ShownTheme = {};
  /** `undefined`: nothing has been asked for. */
  #of: { rainId: string | undefined; invitedOnly: boolean } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ read = readTheme, token = () => undefined, show }: HallThemeOptions) {
    this.#options = { read, token, show };
  }

  /** The music of the present theme, relative to the page. */
  get music(): string | undefined {
    return this.#shown.theme?.files.music;
  }

  /**
   * May be called every frame.
   * @param rainId `undefined`: no rain is shown, so the default theme is.
   * @param invitedOnly the rain is by invitation
   */
  follow(rainId: string | undefined, invitedOnly = false): void {
    if (this.#of && this.#of.rainId === rainId && this.#of.invitedOnly === invitedOnly) return;
    clearTimeout(this.#timer);
    this.#of = { rainId, invitedOnly };
    this.#dropGreeting();
    void this.#request(this.#of);
  }

  /** It is of the rain before. The theme stays until the next one is known. */
  #dropGreeting(): void {
    const { sender, blessing, ...rest } = this.#shown;
    if (sender === undefined && blessing === undefined) return;
    this.#shown = rest;
    this.#options.show(rest);
  }

  async #request(of: { rainId: string | undefined; invitedOnly: boolean }): Promise<void> {
    const { read, token } = this.#options;
    const shown = await read(of.rainId, of.invitedOnly ? token() : undefined);
    if (of !== this.#of) return;
    this.#timer = setTimeout(() => void this.#request(of), AGAIN_MS);
    // A theme that cannot be read now stays as it is.
    if (!shown || JSON.stringify(shown) === JSON.stringify(this.#shown)) return;
    this.#shown = shown;
    this.#options.show(shown);
  }
}
