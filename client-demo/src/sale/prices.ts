import type { SaleWords } from '../words/sale/en.ts';
import { isFree } from './order-view.ts';

/** "19.90" → "¥19.90"; "0.00" → "Free". */
export type Prices = (amount: string) => string;

export function pricesIn(money: (amount: string) => string, free: string): Prices {
  return (amount) => (isFree(amount) ? free : money(amount));
}

/** The words for an item at this price: nobody buys a free one. */
export function wordsAt(price: string, words: SaleWords): Pick<SaleWords, 'answers' | 'progress'> {
  const { answers, progress, whenFree } = words;
  return isFree(price)
    ? { answers: { ...answers, ...whenFree.answers }, progress: { ...progress, ...whenFree.progress } }
    : { answers, progress };
}
