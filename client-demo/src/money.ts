import { CURRENCY_DEFAULT, currencyUnit } from '../../src/platform/currency.ts';

let unit = currencyUnit(CURRENCY_DEFAULT);

/** @param code of all amounts, as the console tells it; ISO 4217 */
export function setCurrency(code: string): void {
  unit = currencyUnit(code);
}

/** `12.21` → `¥12.21`. */
export function moneyText(amount: string): string {
  return unit + amount;
}
