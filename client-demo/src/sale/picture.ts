import { itemPicturePath } from '../../../src/sale/picture.ts';
import { fromMarkup } from './markup.ts';

/** A drawn gift box, in one of a few colours, for an item without a picture or whose picture cannot be loaded. */
const PLACEHOLDER = `
<svg class="sale-placeholder" viewBox="0 0 120 120" aria-hidden="true">
  <circle cx="60" cy="62" r="46" class="glow"/>
  <rect x="28" y="54" width="64" height="42" rx="6" class="box"/><rect x="22" y="42" width="76" height="17" rx="5" class="lid"/>
  <path d="M54 42h12v54H54z" class="ribbon"/>
  <path d="M60 42C46 44 36 34 42 27c6-6 16 4 18 15zM60 42c14 2 24-8 18-15-6-6-16 4-18 15z" class="bow"/>
</svg>`;
const COLOURS = 4;
const UPLOADED = itemPicturePath('').replace(/[^/]*$/, '');

/** @param index place of the item in its sale: neighbours differ in colour */
export function pictureOf(address: string | undefined, index: number): Element {
  const drawn = () => {
    const placeholder = fromMarkup<SVGElement>(PLACEHOLDER);
    placeholder.dataset['colour'] = String(index % COLOURS);
    return placeholder;
  };
  if (address === undefined) return drawn();
  const picture = new Image();
  // The name stands beside it.
  picture.alt = '';
  picture.decoding = 'async';
  picture.referrerPolicy = 'no-referrer';
  picture.addEventListener('error', () => picture.replaceWith(drawn()), { once: true });
  // One of this server: its pages may lie below a path.
  picture.src = address.startsWith(`/${UPLOADED}`) ? `.${address}` : address;
  return picture;
}
