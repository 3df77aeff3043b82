import { CURRENCY_DEFAULT, currencyUnit } from '../../src/platform/currency.ts';
import { groupDigits } from '../../src/rain/money.ts';

let unit = currencyUnit(CURRENCY_DEFAULT);

/** @param code the currency of all amounts, as the console tells it; ISO 4217 */
export function setCurrency(code: string): void {
  unit = currencyUnit(code);
}

/** `8888.00` → `¥8,888.00`. */
export function moneyText(amount: string): string {
  return unit + groupDigits(amount);
}
