import { expect, test } from 'vitest';
import { amountTyped, currencyText, priceText, setCurrency } from '../../client-console/src/words/figures.ts';

test('amounts have the sign of the currency that the session tells, and may be typed with it', () => {
  expect([currencyText(), priceText('8888.00'), amountTyped('¥8,888.5')]).toEqual(['¥', '¥8,888.00', '8888.50']);
  setCurrency('CHF');
  expect([currencyText(), priceText('8888.00'), amountTyped('CHF 88')]).toEqual(['CHF\u00a0', 'CHF\u00a08,888.00', '88.00']);
  setCurrency('EUR');
  expect([currencyText(), amountTyped('€ 88')]).toEqual(['€', '88.00']);
});
