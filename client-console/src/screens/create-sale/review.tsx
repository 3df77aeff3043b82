import { useRef, useState } from 'preact/hooks';
import { useApp, useVerb } from '../../state/useApi.ts';
import { go, hashOf } from '../../state/route.ts';
import { Dialog } from '../../components/dialog.tsx';
import { countText, durationText, momentText, moneyText } from '../../words/figures.ts';
import { useWords } from '../../words/language.ts';
import { numberTyped, UNITS_MS } from '../create/draft.ts';
import { saleRequestOf, type SaleDraft, type SaleRequest } from './draft.ts';
import { isFree, totalOf } from './preview.tsx';
import { TERM_WORDS, VISIBILITY } from '../term-words.ts';
import { WORDS } from './words.ts';

/**
 * Says what the sale will be, as the dry run has accepted it, then creates it.
 * @param stocked whether units will be put into the stock
 */
export function Review({ draft, stocked, onClose }: { draft: SaleDraft; stocked: boolean; onClose: () => void }) {
  const { words, language } = useWords(WORDS);
  const { api } = useApp();
  const verb = useVerb();
  const [shown] = useState(() => saleRequestOf(draft, api.now()));
  // The first click fixes the time of "in five minutes". A retry sends the same request.
  const request = useRef<SaleRequest>(undefined);
  const { id, items, perUserMax, holdMs, opensAt, closesAt, load, rehearsal } = shown;
  const { words: terms } = useWords(TERM_WORDS);
  const isFreeSale = items.every(({ price }) => isFree(price));
  // A start that has passed is opened at once, and its end does not move.
  const [askedAt] = useState(() => api.now());
  const isLate = stocked && opensAt < askedAt && draft.when === 'at';
  const lasts = words.open(durationText(closesAt - (isLate ? askedAt : opensAt), language));

  const create = async () => {
    request.current ??= saleRequestOf(draft, api.now());
    const created = await api.post('sales', request.current);
    if (created.ok) go({ screen: 'sale', saleId: id });
    return created;
  };

  return (
    <Dialog title={words.reviewTitle} act={words.make} verb={verb} onAct={create} onClose={onClose}>
      <ul class="deeds" data-testid="deeds">
        {stocked ? (
          <li class={rehearsal ? 'shadow' : 'money'}>
            <b>{words.stock(totalOf(items).units)}</b> {words.stockTold}
          </li>
        ) : (
          <li>
            <b>{words.known}</b> {words.knownTold}
          </li>
        )}
        {items.map(({ sku, name, units, price }) => (
          <li key={sku}>
            <b>
              {countText(units)} × {name ?? sku}
            </b>{' '}
            {isFree(price) ? words.freeAt : words.at(moneyText(price))}
          </li>
        ))}
        {isFreeSale ? (
          <li>
            <b>{words.freeLimits(countText(perUserMax))}</b> {words.freeTold}
          </li>
        ) : (
          <li>
            <b>{words.limits(countText(perUserMax), durationText(holdMs, language))}</b> {words.limitsTold}
          </li>
        )}
        <li data-testid="opens">
          <b>
            {isLate
              ? words.late(momentText(opensAt, language))
              : draft.when === 'in'
                ? words.opensIn(durationText(numberTyped(draft.startIn) * UNITS_MS[draft.startInUnit], language))
                : words.opens(momentText(opensAt, language))}
          </b>{' '}
          {lasts}
        </li>
        {rehearsal && (
          <li class="shadow">
            <b>{words.practice}</b> {words.rehearsalHint}
          </li>
        )}
        {VISIBILITY.filter((name) => shown[name]).map((name) => (
          <li key={name}>
            <b>{terms[name].label}</b> {terms[name].hint}
          </li>
        ))}
        {load ? (
          <li>
            <b>{words.back}</b> {words.backTold}
          </li>
        ) : (
          <li>
            <b>{words.draft}</b> {words.draftTold}
          </li>
        )}
      </ul>
      {verb.refusals.some(({ field }) => field === 'id') && (
        <p>
          <a href={hashOf({ screen: 'sale', saleId: id })}>{words.toSale}</a>
        </p>
      )}
    </Dialog>
  );
}
