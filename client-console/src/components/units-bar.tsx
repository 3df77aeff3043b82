import { isBalanced, ITEM_PARTS } from '../../../src/sale/equation.ts';
import { useAway } from '../state/away.ts';
import type { SaleEquation } from '../state/responses.ts';
import { countText } from '../words/figures.ts';
import { useWords } from '../words/language.ts';
import { SALE_WORDS } from '../screens/sale/words.ts';

/** The equation of one item as a bar: its parts fill the width of the units exactly when they add up. */
export function UnitsBar({ item, name }: { item: SaleEquation; name: string }) {
  const { words } = useWords(SALE_WORDS);
  const isFresh = useAway() === undefined;
  const balanced = isBalanced(item);
  return (
    <figure class="equation units" data-closes={isFresh ? balanced : undefined} data-testid={`units-${item.sku}`}>
      <figcaption>
        <span>
          {name} <b>{words.units(item.units)}</b>
        </span>
        <span class="closes">{!isFresh ? '' : balanced ? '✓' : `✗ ${words.not}`}</span>
      </figcaption>
      <div class="bar" aria-hidden="true">
        {ITEM_PARTS.map((part) => (
          <span key={part} data-part={part} style={{ flexGrow: Math.max(0, item[part]) }} />
        ))}
      </div>
      <dl>
        {ITEM_PARTS.map((part) => (
          <div key={part}>
            <dt>
              <i data-part={part} aria-hidden="true" />
              {words.parts[part]}
            </dt>
            <dd data-testid={`units-${item.sku}-${part}`}>{countText(item[part])}</dd>
          </div>
        ))}
      </dl>
    </figure>
  );
}
