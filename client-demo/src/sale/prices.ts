import type { SaleWords } from '../words/sale/en.ts';
import { isFree } from './order-view.ts';

/** "19.90" → "¥19.90"; "0.00" → "Free". */
export type Prices = (amount: string) => string;

export function pricesIn(money: (amount: string) => string, free: string): Prices {
  return (amount) => (isFree(amount) ? free : money(amount));
}

/** The words for an item, an order or a sale at this price: nobody buys what is free. */
export function wordsAt(price: string, words: SaleWords): SaleWords {
  return wordsFor(isFree(price), words);
}

/** @param isGift nothing is to be paid */
export function wordsFor(isGift: boolean | undefined, words: SaleWords): SaleWords {
  if (!isGift) return words;
  const { whenFree, state, stateDetail, progress, answers, status, statusDetail } = words;
  return {
    ...words,
    ...whenFree,
    state: { ...state, ...whenFree.state },
    stateDetail: { ...stateDetail, ...whenFree.stateDetail },
    progress: { ...progress, ...whenFree.progress },
    answers: { ...answers, ...whenFree.answers },
    status: { ...status, ...whenFree.status },
    statusDetail: { ...statusDetail, ...whenFree.statusDetail },
  };
}
