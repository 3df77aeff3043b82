import { loadPicture } from './load-picture.ts';
import { element } from './page.ts';
import type { Sky } from './sky/sky.ts';
import type { View } from './view.ts';
import type { ShareCard } from './share/share-card.ts';
import type { Words } from './words/en.ts';
import { applyTheme, type ShownTheme, type Theme } from './theme.ts';
import { greetingOf } from './rain-theme.ts';

/** The player's page with its part of a theme, beside its colours. A picture is shown once it has been loaded. */
export class PageTheme {
  readonly #sky: Pick<Sky, 'setPacketLook'>;
  readonly #bar = element<HTMLMetaElement>('meta[name="theme-color"]');
  readonly #barColour = this.#bar.content;
  #theme: Theme | undefined;
  #logo: HTMLImageElement | undefined;
  #packet: HTMLImageElement | undefined;

  constructor(sky: Pick<Sky, 'setPacketLook'>) {
    this.#sky = sky;
  }

  /** The picture of a win, in the colours of the theme. */
  cardOf({ win, title, greeting, rehearsal }: View, words: Words): ShareCard | undefined {
    if (!win) return undefined;
    const said = greeting ? words.greeting(greetingOf(greeting, win.amount)) : '';
    return {
      title: title || words.page,
      headline: words.share.headline,
      amount: words.money(win.amount),
      colours: this.#theme?.colours ?? {},
      ...(said !== '' && { greeting: said }),
      ...(rehearsal && { warning: words.rehearsal }),
      ...(this.#logo && { logo: this.#logo }),
      ...(this.#packet && { packet: this.#packet }),
    };
  }

  apply(shown: ShownTheme): void {
    const { theme } = shown;
    this.#theme = theme;
    applyTheme(shown);
    this.#bar.content = theme?.colours.background ?? this.#barColour;
    this.#showLogo(undefined);
    this.#showPacket(undefined);
    void this.#load(theme, 'logo').then((logo) => {
      if (logo) this.#showLogo(logo);
    });
    void this.#load(theme, 'packet').then((picture) => {
      if (picture) this.#showPacket(picture);
    });
  }

  /** @returns nothing if the page has another theme by then */
  async #load(theme: Theme | undefined, kind: 'logo' | 'packet'): Promise<HTMLImageElement | undefined> {
    const address = theme?.files[kind];
    const picture = address === undefined ? undefined : await loadPicture(address);
    return theme === this.#theme ? picture : undefined;
  }

  #showLogo(logo: HTMLImageElement | undefined): void {
    this.#logo?.remove();
    this.#logo = logo;
    if (!logo) return;
    // The title beside it says whose event it is.
    logo.alt = '';
    logo.className = 'logo';
    element('.bar').prepend(logo);
  }

  #showPacket(picture: HTMLImageElement | undefined): void {
    this.#packet = picture;
    const colour = this.#theme?.colours.packet;
    this.#sky.setPacketLook({ ...(colour !== undefined && { colour }), ...(picture && { picture }) });
    const root = document.documentElement;
    root.toggleAttribute('data-packet-picture', picture !== undefined);
    if (picture) root.style.setProperty('--packet-picture', `url("${picture.src}")`);
    else root.style.removeProperty('--packet-picture');
  }
}
