import { loadPicture } from '../load-picture.ts';
import { element, setChildren, write } from '../page.ts';
import type { Sky } from '../sky/sky.ts';
import { applyTheme, type ShownTheme, type Theme } from '../theme.ts';
import type { HallWords } from './words.ts';

/**
 * The hall's part of a theme, and the greeting. A picture is shown once it has been loaded; what cannot be loaded
 * leaves no gap.
 */
export class HallPageTheme {
  readonly #sky: Pick<Sky, 'setPacketLook'>;
  readonly #words: Pick<HallWords, 'from' | 'sponsor'>;
  #theme: Theme | undefined;

  constructor(sky: Pick<Sky, 'setPacketLook'>, words: Pick<HallWords, 'from' | 'sponsor'>) {
    this.#sky = sky;
    this.#words = words;
  }

  apply(shown: ShownTheme): void {
    const { sender, blessing, theme } = shown;
    const { from, sponsor } = this.#words;
    this.#theme = theme;
    applyTheme(shown);
    write('.blessing', blessing ?? '');
    write('.sender', sender === undefined ? '' : from(sender));
    this.#showPacket(undefined);
    void this.#load(theme, 'packet', (picture) => this.#showPacket(picture));
    // The title beside the logo says whose event it is.
    void this.#load(theme, 'logo', (picture) => show('.event-logo', picture, ''));
    void this.#load(theme, 'sponsor', (picture) => show('.sponsor', picture, sponsor));
  }

  /** Shows nothing if another theme is shown by then. */
  async #load(
    theme: Theme | undefined,
    kind: 'packet' | 'logo' | 'sponsor',
    onLoaded: (picture: HTMLImageElement | undefined) => void,
  ): Promise<void> {
    const address = theme?.files[kind];
    const picture = address === undefined ? undefined : await loadPicture(address);
    if (theme === this.#theme) onLoaded(picture);
  }

  #showPacket(picture: HTMLImageElement | undefined): void {
    const colour = this.#theme?.colours.packet;
    this.#sky.setPacketLook({ ...(colour !== undefined && { colour }), ...(picture && { picture }) });
  }
}

function show(selector: string, picture: HTMLImageElement | undefined, alt: string): void {
  const box = element(selector);
  if (picture) picture.alt = alt;
  setChildren(box, ...(picture ? [picture] : []));
  box.hidden = !picture;
}
