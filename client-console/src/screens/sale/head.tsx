import type { ComponentChildren } from 'preact';
import type { SaleView } from '../../state/responses.ts';
import { hashOf } from '../../state/route.ts';
import { Held } from '../../components/held.tsx';
import { useWords } from '../../words/language.ts';
import { reasonIn } from '../../words/refusals.ts';
import { PauseReason } from '../rain/pauseReason.tsx';
import { StateChip, Until } from '../rains.tsx';
import { TERM_WORDS, VISIBILITY } from '../term-words.ts';
import { SALE_WORDS } from './words.ts';

type Tab = 'sale' | 'sale-live' | 'orders';

/** The header of every screen of one sale. */
export function SaleHead({ sale, tab, children }: { sale: SaleView; tab: Tab; children?: ComponentChildren }) {
  const { words, language } = useWords(SALE_WORDS);
  const { words: terms } = useWords(TERM_WORDS);
  const { saleId, title, state } = sale;
  const to = (screen: Tab, text: string) => (
    <a href={hashOf({ screen, saleId })} aria-current={tab === screen ? 'page' : undefined}>
      {text}
    </a>
  );
  return (
    <>
      <header class="head">
        <div>
          <a class="back" href="#/sales">
            ← {words.back}
          </a>
          <h1>{title}</h1>
          <p class="chips">
            <StateChip state={state} rehearsal={sale.rehearsal} names={words.states} />{' '}
            {VISIBILITY.filter((name) => sale[name]).map((name) => (
              <span key={name} class="chip" title={terms[name].hint}>
                {terms[name].label}
              </span>
            ))}{' '}
            <Until rain={sale} />
          </p>
        </div>
        {children && <div class="acts">{children}</div>}
      </header>
      <nav class="tabs" aria-label={title}>
        {to('sale', words.tabs.overview)}
        {to('sale-live', words.tabs.live)}
        {to('orders', words.tabs.orders)}
      </nav>
      <PauseReason id={saleId} state={state} />
      {sale.held !== undefined && (
        <Held
          what="sale"
          held={[{ id: saleId, reason: sale.held }]}
          named={false}
          otherwise={words.heldTold(sale.held)}
        />
      )}
      {sale.damaged !== undefined && (
        <div class="findings" role="alert" data-testid="damaged">
          <h2>{words.damaged}</h2>
          <p>{reasonIn(language, sale.damaged)}</p>
        </div>
      )}
    </>
  );
}
