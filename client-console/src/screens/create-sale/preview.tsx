import { centsOf, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { usePicture } from '../themes/usePicture.ts';
import type { SaleRequest } from './draft.ts';
import { WORDS } from './words.ts';

type RequestedItem = SaleRequest['items'][number];

/** The items as buyers will see them, while they are typed. */
export function SalePreview({ items }: { items: readonly RequestedItem[] }) {
  const { words } = useWords(WORDS);
  const shown = items.filter(({ sku, name }) => sku !== '' || name !== undefined);
  const { units, cents } = totalOf(shown);
  return (
    <section class="card preview" aria-labelledby="preview-title">
      <div class="row">
        <h2 id="preview-title">{words.preview}</h2>
      </div>
      {shown.length === 0 && <p class="hint">{words.empty}</p>}
      <ul class="goods" data-testid="goods">
        {shown.map((item, i) => (
          <Good key={i} item={item} />
        ))}
      </ul>
      {shown.length > 0 && units > 0 && cents >= 0 && (
        <p class="hint" data-testid="goods-total">
          {words.total(units, moneyText((cents / 100).toFixed(2)))}
        </p>
      )}
    </section>
  );
}

/** Units and value of all items; `NaN` while a figure cannot be read. */
export function totalOf(items: readonly RequestedItem[]): { units: number; cents: number } {
  return {
    units: items.reduce((sum, item) => sum + item.units, 0),
    cents: items.reduce((sum, { units, price }) => sum + units * centsOf(price), 0),
  };
}

/** The typed text may be no amount yet. */
const isAmount = (text: string) => /^\d+\.\d\d$/.test(text);

export function isFree(price: string): boolean {
  return isAmount(price) && Number(price) === 0;
}

function Good({ item: { sku, name, description, units, price, listPrice, picture } }: { item: RequestedItem }) {
  const { words } = useWords(WORDS);
  return (
    <li>
      <Picture key={picture} src={picture} />
      <b>{name ?? sku}</b>
      {description !== undefined && <small class="description">{description}</small>}
      <span class="price">
        {isFree(price) ? words.free : isAmount(price) ? moneyText(price) : '–'}{' '}
        {listPrice !== undefined && isAmount(listPrice) && <s>{moneyText(listPrice)}</s>}
      </span>
      {units > 0 && <small>{words.unitsOf(units)}</small>}
    </li>
  );
}

/**
 * A box where there is no picture, or one that does not load. The console loads nothing from other hosts, so their
 * pictures are not shown here.
 */
function Picture({ src }: { src: string | undefined }) {
  const own = src?.startsWith('/') && !src.startsWith('//') ? src : undefined;
  const picture = usePicture(own);
  return (
    <span class="picture" aria-hidden="true">
      {picture !== undefined ? (
        <img src={picture} alt="" />
      ) : (
        <svg viewBox="0 0 20 20">
          <path d="M5 7h10l1 10H4zM7.5 9V6a2.5 2.5 0 0 1 5 0v3" />
        </svg>
      )}
    </span>
  );
}
