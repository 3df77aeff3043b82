import { ITEMS_MAX } from '../../../../src/sale/purchase.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { currencyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { refusalsFor } from '../create/draft.ts';
import { NEW_ITEM, type SalePartProps, type TypedItem } from './draft.ts';
import { PictureUpload } from './picture-upload.tsx';
import { WORDS } from './words.ts';

/** The fields of an item that every item needs, and the others. */
const FIRST = ['sku', 'units', 'price', 'listPrice'] as const;
const REST = ['name', 'perOrderMax', 'perUserMax', 'description', 'picture'] as const;
const AMOUNTS: readonly (keyof TypedItem)[] = ['price', 'listPrice'];
const COUNTS: readonly (keyof TypedItem)[] = ['units', 'perOrderMax', 'perUserMax'];

/** A block of fields per item; at least one. */
export function ItemsPart({ draft: { items }, refusals, change }: SalePartProps) {
  const { words } = useWords(WORDS);
  const put = (at: number, field: keyof TypedItem, text: string) =>
    change({ items: items.map((item, i) => (i === at ? { ...item, [field]: text } : item)) });
  const whole = refusalsFor(refusals, 'items');
  const last = items.length - 1;
  const field = (item: TypedItem, i: number, name: keyof TypedItem) => (
    <Field
      key={name}
      label={words.fields[name]}
      value={item[name]}
      lines={name === 'description'}
      hint={words.hints[name]}
      onInput={(text) => put(i, name, text)}
      {...(AMOUNTS.includes(name)
        ? { unit: currencyText(), inputMode: 'decimal' }
        : COUNTS.includes(name)
          ? { inputMode: 'numeric' }
          : {})}
      testId={`item-${i}-${name}`}
      refusals={[...refusalsFor(refusals, `items.${i}.${name}`), ...(name === 'sku' && i === last ? whole : [])]}
    />
  );
  return (
    <fieldset class="card">
      <legend>{words.items}</legend>
      {items.map((item, i) => {
        const opened = REST.some((name) => item[name] !== '' || refusalsFor(refusals, `items.${i}.${name}`).length > 0);
        return (
          <div class="item-row" role="group" aria-label={words.itemNumber(i + 1)} key={i}>
            {items.length > 1 && (
              <Button
                variant="quiet"
                label={words.remove(i + 1)}
                onClick={() => change({ items: items.filter((_, at) => at !== i) })}
              >
                ✕
              </Button>
            )}
            <div class="item-fields">{FIRST.map((name) => field(item, i, name))}</div>
            <details open={opened}>
              <summary>{words.more}</summary>
              <div class="item-fields">{REST.map((name) => field(item, i, name))}</div>
              <PictureUpload at={i} onKept={(picture) => put(i, 'picture', picture)} />
            </details>
          </div>
        );
      })}
      {items.length < ITEMS_MAX && (
        <p>
          <Button variant="quiet" onClick={() => change({ items: [...items, NEW_ITEM] })} testId="add-item">
            + {words.add}
          </Button>
        </p>
      )}
    </fieldset>
  );
}
