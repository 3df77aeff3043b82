import { isFree } from './order-view.ts';

/** "19.90" → "¥19.90"; "0.00" → "Free". */
export type Prices = (amount: string) => string;

export function pricesIn(money: (amount: string) => string, free: string): Prices {
  return (amount) => (isFree(amount) ? free : money(amount));
}
