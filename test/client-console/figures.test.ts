import { expect, test } from 'vitest';
import { amountTyped, currencyText, moneyText, setCurrency } from '../../client-console/src/words/figures.ts';

test('amounts have the sign of the currency that the session tells, and may be typed with it', () => {
  expect([currencyText(), moneyText('8888.00'), amountTyped('¥8,888.5')]).toEqual(['¥', '¥8,888.00', '8888.50']);
  setCurrency('CHF');
  expect([currencyText(), moneyText('8888.00'), amountTyped('CHF 88')]).toEqual(['CHF\u00a0', 'CHF\u00a08,888.00', '88.00']);
  expect([moneyText('-12.50'), moneyText('1234567.00'), moneyText('0.01')]).toEqual(['-CHF\u00a012.50', 'CHF\u00a01,234,567.00', 'CHF\u00a00.01']);
  setCurrency('EUR');
  expect([currencyText(), amountTyped('€ 88')]).toEqual(['€', '88.00']);
});
