import { expect, test } from 'vitest';
import { SALE_WORDS, statusOf } from '../../client-console/src/screens/sale/words.ts';
import { saleWordsFor } from '../../client-demo/src/words/sale/language.ts';
import { wordsAt } from '../../client-demo/src/sale/prices.ts';

const DECIDED = ['created', 'paid', 'cancelled', 'timed_out', 'failed', 'refunded'] as const;

test.each(['en', 'zh'] as const)('buyer and operator read the same status of an order: %s', (language) => {
  const [page, names] = [saleWordsFor(language), SALE_WORDS[language]];
  for (const status of DECIDED) expect(statusOf({ price: '19.90', status }, names), status).toBe(page.status[status]);
  for (const status of ['cancelled', 'timed_out', 'failed', 'refunded'] as const)
    expect(statusOf({ price: '0.00', status }, names), status).toBe(wordsAt('0.00', page).status[status]);
});

test.each(['en', 'zh'] as const)(
  'the operator reads of a free order neither a payment nor a refund: %s',
  (language) => {
    const said = DECIDED.map((status) => statusOf({ price: '0.00', status }, SALE_WORDS[language])).join();
    expect(said).not.toMatch(/pa(id|y)|refund|付款|退款/i);
  },
);
